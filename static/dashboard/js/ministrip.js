// <flight-strip data-strip="smlloO…">: a run in miniature.
// One letter a bin; upper case if the bin holds an error; a space is a gap.
import { FAMILIES, LANES, familyIndex } from "./families.js";

const BINS = 120;
const PITCH = 7;
const HEIGHT = LANES.length * PITCH - 1;
const SVG = "http://www.w3.org/2000/svg";

class MiniStrip extends HTMLElement {
  connectedCallback() {
    this.replaceChildren(draw(this.dataset.strip));
  }
}

function draw(letters) {
  const svg = element("svg", {
    viewBox: `0 0 ${Math.max(BINS, letters.length)} ${HEIGHT}`,
    preserveAspectRatio: "none",
    "shape-rendering": "crispEdges",
    "aria-hidden": "true",
  });
  svg.append(element("path", { class: "rails", d: rails(letters.length) }));
  for (const [name, shape] of shapes(letters)) svg.append(element("path", { class: `family-${name}`, d: shape }));
  return svg;
}

/** One path for each family, errors last so that nothing covers them. */
function shapes(letters) {
  const paths = new Map(FAMILIES.map(({ name }) => [name, ""]));
  paths.set("trouble", "");
  [...letters].forEach((letter, bin) => {
    if (letter === " ") return;
    const { name, lane } = FAMILIES[familyIndex(letter)];
    const isError = letter !== letter.toLowerCase();
    const mark = isError ? rect(bin + 0.15, 0, 0.7, HEIGHT) : rect(bin, lane * PITCH, 1, PITCH - 1);
    const key = isError ? "trouble" : name;
    paths.set(key, paths.get(key) + mark);
  });
  return [...paths].filter(([, shape]) => shape);
}

function rails(length) {
  return LANES.map((_, lane) => rect(0, lane * PITCH + PITCH / 2 - 1, length, 1)).join("");
}

function rect(x, y, width, height) {
  return `M${x} ${y}h${width}v${height}h${-width}z`;
}

function element(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

customElements.define("flight-strip", MiniStrip);
