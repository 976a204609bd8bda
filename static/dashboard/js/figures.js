// Draws the figures of a page with Plotly, in the theme's colours. Without a script, the tables have the same numbers.
const CONFIG = { displayModeBar: false, responsive: true };

// A colour of a figure is the name of one of the dashboard's; a canvas turns what light-dark() gives into a plain one.
function colour(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function themed(value) {
  if (typeof value === "string") return value.startsWith("--") ? colour(value) : value;
  if (Array.isArray(value)) return value.map(themed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, themed(inner)]));
}

function axis(given) {
  const line = colour("--line");
  return { gridcolor: line, linecolor: line, zerolinecolor: line, ...given };
}

function draw(place) {
  const { data, layout } = JSON.parse(document.getElementById(place.dataset.figure).textContent);
  const paper = colour("--paper");
  window.Plotly.react(place, themed(data), {
    ...layout,
    paper_bgcolor: paper,
    plot_bgcolor: paper,
    font: { color: colour("--ink-soft"), family: getComputedStyle(document.body).fontFamily, size: 11 },
    hoverlabel: { bgcolor: colour("--raised"), bordercolor: colour("--line-strong"), font: { color: colour("--ink") } },
    xaxis: axis(layout.xaxis),
    yaxis: axis(layout.yaxis),
  }, CONFIG);
  if ("figureLinks" in place.dataset && !place.dataset.figureFollows) {
    place.dataset.figureFollows = "yes";
    place.on("plotly_click", ({ points }) => location.assign(points[0].customdata));
  }
}

function drawAll() {
  document.querySelectorAll("[data-figure]").forEach(draw);
}

/** Loads Plotly. The library of maps in it writes a <style> into the head as soon as it is there, which the pages' policy
 *  refuses with an error; what holds no styles is not refused, and nothing here draws maps. */
function load(address) {
  const script = document.createElement("script");
  const create = document.createElement;
  document.createElement = (name, ...rest) => create.call(document, name === "style" ? "template" : name, ...rest);
  return new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error("Plotly could not be loaded: the tables have the same numbers."));
    script.src = address;
    document.head.append(script);
  }).finally(() => delete document.createElement);
}

await load(document.querySelector("[data-plotly]").dataset.plotly);
drawAll();
document.addEventListener("themechange", drawAll);
