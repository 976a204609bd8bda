// The flight strip as a scrubber: every event of a run on one band, drawn on a canvas.
import { FAMILIES, LANES } from "./families.js";
import { EMPTY, StripData } from "./strip-data.js";

const HEAD = 18; // room for the playhead's flag
const AXIS = 17; // room for the version numbers below
const GAP = 2;
const FOOT = 4; // how far an error stands out above the lanes
const LEAST = 0.35; // the least height of a mark, of its lane's
const CROWDED = 12; // pixels for each error below which errors crowd
const MAX_CELL = 18;
const MIN_TICK = 90;
const GUTTER = 58; // lane names, where the band is wide enough
const GUTTER_FROM = 700;
const FONT = "11px";

const number = new Intl.NumberFormat("en");

export class FlightStrip {
  /**
   * @param {HTMLElement} slider the element of role slider that holds the canvas
   * @param {(version: number) => void} onSeek called at each point of a click or drag
   */
  constructor(slider, onSeek) {
    this.slider = slider;
    this.canvas = slider.querySelector("canvas");
    this.band = document.createElement("canvas"); // everything but the playhead, drawn only when it changes
    this.data = new StripData("", []);
    this.version = Number(slider.getAttribute("aria-valuenow"));
    this.hover = null;
    this.frame = 0;
    this.isStale = true;
    this.listen(onSeek);
  }

  listen(onSeek) {
    const seek = (event) => onSeek(this.versionAt(event.offsetX));
    this.slider.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.data.count) return;
      this.slider.setPointerCapture(event.pointerId);
      this.hover = null;
      seek(event);
    });
    this.slider.addEventListener("pointermove", (event) => {
      if (!this.data.count) return;
      if (this.slider.hasPointerCapture(event.pointerId)) return seek(event);
      this.hover = event.pointerType === "mouse" ? this.versionAt(event.offsetX) : null;
      this.draw();
    });
    this.slider.addEventListener("pointerleave", () => {
      this.hover = null;
      this.draw();
    });
    new ResizeObserver(() => this.redraw()).observe(this.slider);
    document.addEventListener("themechange", () => this.redraw());
  }

  setData(data) {
    this.data = data;
    this.redraw();
  }

  setVersion(version) {
    this.version = version;
    const label = this.data.count ? `, ${this.label(version)}` : "";
    const last = Math.max(this.data.count, Number(this.slider.getAttribute("aria-valuemax")));
    this.slider.setAttribute("aria-valuemax", last);
    this.slider.setAttribute("aria-valuenow", version);
    this.slider.setAttribute("aria-valuetext", `event ${number.format(version)} of ${number.format(last)}${label}`);
    this.draw();
  }

  label(version) {
    return this.data.family(version).name + (this.data.isError(version) ? ", error" : "");
  }

  /** Draws everything anew, at the next frame. */
  redraw() {
    this.isStale = true;
    this.draw();
  }

  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.isStale) this.measure();
      if (!this.width) return; // Not shown now; the observer calls when it is.
      if (this.isStale) this.drawBand();
      this.isStale = false;
      this.drawHeads();
    });
  }

  measure() {
    const { clientWidth, clientHeight } = this.slider;
    this.scale = devicePixelRatio;
    this.width = clientWidth;
    this.height = clientHeight;
    this.left = clientWidth >= GUTTER_FROM ? GUTTER : 0;
    this.pitch = (clientHeight - HEAD - AXIS) / LANES.length;
    this.cell = Math.min(MAX_CELL, (clientWidth - this.left) / Math.max(1, this.data.count));
    for (const canvas of [this.canvas, this.band]) {
      canvas.width = Math.round(clientWidth * this.scale);
      canvas.height = Math.round(clientHeight * this.scale);
    }
    this.readColours();
  }

  /** Canvas knows no custom properties: their values are read from the page, in the theme that holds now. */
  readColours() {
    const probe = document.createElement("i");
    this.slider.append(probe);
    const read = (property) => {
      probe.style.color = `var(${property})`;
      return getComputedStyle(probe).color;
    };
    const properties = ["trouble", "ink", "paper", "line", "ink-faint"].map((name) => [name, `--${name}`]);
    properties.push(...FAMILIES.map(({ name }) => [name, `--family-${name}`]));
    this.colours = Object.fromEntries(properties.map(([name, property]) => [name, read(property)]));
    this.font = `${FONT} ${getComputedStyle(this.slider).fontFamily}`;
    probe.remove();
  }

  x(version) {
    return this.left + (version - 0.5) * this.cell;
  }

  versionAt(x) {
    return Math.min(this.data.count, Math.max(1, Math.ceil((x - this.left) / this.cell)));
  }

  pen(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = this.font;
    context.textBaseline = "middle";
    return context;
  }

  drawBand() {
    const pen = this.pen(this.band);
    const end = this.left + this.data.count * this.cell;
    LANES.forEach((name, lane) => {
      const middle = HEAD + (lane + 0.5) * this.pitch - GAP / 2;
      pen.fillStyle = this.colours.line;
      pen.fillRect(this.left, Math.floor(middle), end - this.left, 1);
      pen.fillStyle = this.colours["ink-faint"];
      if (this.left) pen.fillText(name, 0, middle + 0.5);
    });
    if (this.data.count) {
      if (this.cell >= 1.5) this.drawMarks(pen);
      else this.drawColumns(pen, Math.floor(end - this.left));
      this.drawErrors(pen, end - this.left);
      this.drawAxis(pen, end);
    }
  }

  /** Room for each event: one mark each. */
  drawMarks(pen) {
    const width = this.cell < 4 ? this.cell : this.cell - Math.min(3, this.cell * 0.25);
    const top = (lane) => HEAD + lane * this.pitch;
    for (let version = 1; version <= this.data.count; version += 1) {
      const { name, lane } = this.data.family(version);
      pen.fillStyle = this.colours[name];
      pen.fillRect(this.x(version) - width / 2, top(lane), width, this.pitch - GAP);
    }
    pen.fillStyle = this.colours.trouble;
    for (const version of this.data.errors) {
      pen.fillRect(this.x(version) - width / 2, top(this.data.family(version).lane), width, this.pitch - GAP);
    }
  }

  /**
   * More events than pixels: each pixel of a lane shows what is most there, as high as there is much of it, and an
   * error always wins it.
   */
  drawColumns(pen, columns) {
    const { families, amounts, errors } = this.data.bins(columns);
    const full = this.pitch - GAP;
    const most = new Array(LANES.length).fill(1);
    amounts.forEach((amount, slot) => {
      most[slot % LANES.length] = Math.max(most[slot % LANES.length], amount);
    });
    families.forEach((family, slot) => {
      if (family === EMPTY) return;
      const column = Math.floor(slot / LANES.length);
      const lane = slot % LANES.length;
      const height = errors[slot] ? full : full * (LEAST + ((1 - LEAST) * amounts[slot]) / most[lane]);
      pen.fillStyle = errors[slot] ? this.colours.trouble : this.colours[FAMILIES[family].name];
      pen.fillRect(this.left + column, HEAD + lane * this.pitch + full - height, errors[slot] ? 2 : 1, height);
    });
  }

  /** An error is a line through all lanes. Where they crowd, only its foot above the lanes: the rest must show. */
  drawErrors(pen, width) {
    const isCrowded = this.data.errors.length * CROWDED > width;
    const height = isCrowded ? FOOT : FOOT + this.pitch * LANES.length - GAP;
    pen.fillStyle = this.colours.trouble;
    for (const version of this.data.errors) {
      pen.fillRect(Math.round(this.x(version) - 1), HEAD - FOOT, 2, height);
    }
  }

  drawAxis(pen, end) {
    const base = HEAD + this.pitch * LANES.length;
    const step = niceStep((MIN_TICK * this.data.count) / (end - this.left));
    pen.fillStyle = this.colours["ink-faint"];
    for (let version = step; version <= this.data.count; version += step) {
      const x = this.x(version);
      const label = number.format(version);
      const width = pen.measureText(label).width;
      pen.fillRect(Math.floor(x), base, 1, 4);
      pen.fillText(label, Math.min(x - width / 2, this.width - width), base + 11);
    }
  }

  drawHeads() {
    const pen = this.pen(this.canvas);
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.band, 0, 0);
    pen.restore();
    if (!this.data.count) return;
    const { hover, version } = this;
    if (hover) this.drawHead(pen, hover, `${number.format(hover)}  ${this.label(hover)}`, false);
    this.drawHead(pen, version, number.format(version), true);
  }

  drawHead(pen, version, label, isPlayhead) {
    const x = this.x(version);
    const bottom = HEAD + this.pitch * LANES.length;
    const width = pen.measureText(label).width + 10;
    const left = Math.min(this.width - width, Math.max(0, x - width / 2));
    pen.fillStyle = isPlayhead ? this.colours.ink : this.colours["ink-faint"];
    pen.fillRect(Math.round(x - 0.75), 8, isPlayhead ? 1.5 : 1, bottom - 8 + 2);
    pen.fillStyle = isPlayhead ? this.colours.ink : this.colours.paper;
    pen.fillRect(left, 0, width, 14);
    pen.fillStyle = isPlayhead ? this.colours.paper : this.colours.ink;
    pen.fillText(label, left + 5, 7.5);
  }
}

/** The smallest of 1, 2, 5, 10, 20, 50 … that is at least `least`. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}
