// The replay page: one position in the run, and everything that shows or moves it.
import { notify } from "./chrome.js";
import { FAMILIES } from "./families.js";
import { FlightStrip } from "./flightstrip.js";
import { fetchHtml, fetchJson } from "./fragments.js";
import { bindKeys } from "./keys.js";
import { Live } from "./live.js";
import { StepPane } from "./step-pane.js";
import { StripData } from "./strip-data.js";
import { showTimes } from "./time.js";
import { Timeline } from "./timeline.js";

const PLAY_MS = 600; // at the speed 1
const PAGE = 10;
const REST_MS = 100;
const HEAD_MS = 1000;
const number = new Intl.NumberFormat("en");

export function startReplay(root) {
  new Replay(root).start();
}

class Replay {
  constructor(root) {
    const { version, last, timelineUrl, stepUrl } = root.dataset;
    this.root = root;
    this.version = Number(version);
    this.last = Number(last);
    this.panel = root.dataset.beside;
    this.data = new StripData("", []);
    this.playing = null;
    this.resting = null;
    this.live = null;
    this.head = null;
    this.speed = 1;
    this.strip = new FlightStrip(this.find("[data-scrubber]"), (at) => this.go(at));
    this.timeline = new Timeline(this.find("[data-timeline]"), {
      url: timelineUrl,
      last: this.last,
      onFailure: (error) => notify(`The timeline could not be read: ${error.message}.`),
    });
    this.pane = new StepPane(
      this.find("#step"),
      (at) => `${stepUrl.replace(/0\/$/, `${at}/`)}?panel=${this.panel}`,
      (at, kind) => this.announce(at, kind),
    );
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  async start() {
    this.listen();
    this.timeline.select(this.version);
    try {
      const strip = await fetchJson(this.root.dataset.stripUrl);
      this.data = new StripData(strip.families, strip.errors);
    } catch (error) {
      notify(`The flight strip could not be read: ${error.message}.`);
      return;
    }
    this.strip.setData(this.data);
    this.grow();
    if (this.root.dataset.liveUrl) this.follow();
  }

  /** Shows how long the run is now. A viewer who stands at its end moves along; others stay where they are. */
  grow() {
    const isAtEnd = this.version === this.last;
    this.last = this.data.count;
    this.strip.redraw();
    this.timeline.grow(this.last);
    this.showTotals();
    if (isAtEnd) this.go(this.last);
    this.showPosition();
  }

  listen() {
    this.root.addEventListener("click", (event) => this.click(event));
    this.find("[data-speed]").addEventListener("change", (event) => this.setSpeed(Number(event.target.value)));
    this.find("[data-scrubber]").addEventListener("keydown", (event) => {
      const steps = { ArrowUp: -1, ArrowDown: 1 }; // Elsewhere these keys scroll.
      if (!(event.key in steps)) return;
      event.preventDefault();
      this.go(this.version + steps[event.key]);
    });
    bindKeys({
      ArrowLeft: () => this.go(this.version - 1),
      ArrowRight: () => this.go(this.version + 1),
      k: () => this.go(this.version - 1),
      j: () => this.go(this.version + 1),
      PageUp: () => this.go(this.version - PAGE),
      PageDown: () => this.go(this.version + PAGE),
      Home: () => this.go(1),
      End: () => this.go(this.last),
      Space: () => this.togglePlay(),
      e: () => this.goToError(),
      t: () => this.goToFamily("tool"),
      m: () => this.goToFamily("memory"),
    });
  }

  click(event) {
    const on = (selector) => event.target.closest(selector);
    if (on("[data-play]")) return this.togglePlay();
    if (on("[data-next-error]")) return this.goToError();
    if (on("[data-next-family]")) return this.goToFamily(on("[data-next-family]").dataset.nextFamily);
    if (on("[data-pause]")) return this.togglePause();
    if (on("[data-catch-up]")) return this.togglePause();
    if (on("[data-show-pane]")) return this.showPane(on("[data-show-pane]").dataset.showPane);
    const link = on("a[href^='?at=']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const asked = new URLSearchParams(link.search);
    if (asked.has("panel")) this.showBeside(asked.get("panel"));
    else this.go(Number(asked.get("at")));
    this.writeAddress();
    if (link.closest(".row")) this.showPane("event");
  }

  /** Moves to a version. Everything that is known shows at once; the event and the state follow. */
  go(version) {
    const at = Math.min(this.last, Math.max(1, version));
    if (at === this.version) return;
    this.version = at;
    this.showPosition();
    this.showAddress();
    this.timeline.select(at);
    this.pane.show(at);
  }

  /** What stands beside the event: its state, what it changed, what the model saw. */
  showBeside(panel) {
    this.panel = panel;
    this.pane.show(this.version);
  }

  /** Browsers refuse an address that changes too often: of steps in quick succession the first and the last are written. */
  showAddress() {
    const resting = this.resting !== null;
    clearTimeout(this.resting);
    if (!resting) this.writeAddress();
    this.resting = setTimeout(() => this.writeAddress(), REST_MS);
  }

  writeAddress() {
    clearTimeout(this.resting);
    this.resting = null;
    const panel = this.panel === "state" ? "" : `&panel=${this.panel}`;
    history.replaceState(history.state, "", `?at=${this.version}${panel}`);
  }

  goToError() {
    const version = this.data.nextError(this.version);
    if (version) this.go(version);
  }

  /** From the last one on, to the first: as errors. */
  goToFamily(name) {
    const version = this.data.nextOf(name, this.version);
    if (version) this.go(version);
  }

  showPosition() {
    const { version, last } = this;
    this.strip.setVersion(version);
    const bold = document.createElement("b");
    bold.textContent = number.format(version);
    this.find("[data-readout]").replaceChildren("event ", bold, ` of ${number.format(last)}`);
    const targets = { first: 1, previous: Math.max(1, version - 1), next: Math.min(last, version + 1), last };
    for (const [step, at] of Object.entries(targets)) {
      const link = this.find(`[data-step=${step}]`);
      link.setAttribute("href", `?at=${at}`);
      link.setAttribute("aria-disabled", at === version);
    }
    if (!this.data.count) return;
    const reading = this.find("[data-readout-family]");
    reading.textContent = this.strip.label(version);
    reading.className = `reading family-${this.data.isError(version) ? "trouble" : this.data.family(version).name}`;
  }

  /** The counts that follow from the strip: events, errors, and events of each family. */
  showTotals() {
    this.find("[data-event-count]").textContent = number.format(this.data.count);
    this.find("[data-error-count]").textContent = number.format(this.data.errors.length);
    this.find("[data-error-count]").classList.toggle("trouble", this.data.errors.length > 0);
    this.find(".transport [data-next-error]").disabled = this.data.errors.length === 0;
    const totals = this.data.totals();
    const entries = FAMILIES.map(({ name }, family) => [name, totals[family]]).filter(([, total]) => total);
    if (this.data.errors.length) entries.push(["trouble", this.data.errors.length]);
    this.find("[data-legend]").replaceChildren(...entries.map(([name, total]) => legendEntry(name, total)));
  }

  announce(version, kind) {
    this.find("[data-announce]").textContent = `Event ${number.format(version)}: ${kind}`;
  }

  showPane(pane) {
    this.root.dataset.pane = pane;
    for (const button of this.root.querySelectorAll("[data-show-pane]")) {
      button.setAttribute("aria-pressed", button.dataset.showPane === pane);
    }
    if (pane === "timeline") this.timeline.mark();
  }

  togglePlay() {
    if (this.playing) this.stop();
    else this.play();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (!this.playing) return;
    clearInterval(this.playing);
    this.run();
  }

  play() {
    if (this.version === this.last) this.go(1);
    this.run();
    this.showPlaying(true);
  }

  run() {
    this.playing = setInterval(() => {
      this.go(this.version + 1);
      if (this.version === this.last && !this.live) this.stop();
    }, PLAY_MS / this.speed);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    this.showPlaying(false);
  }

  showPlaying(isPlaying) {
    const button = this.find("[data-play]");
    button.setAttribute("aria-pressed", isPlaying);
    setIcon(button, isPlaying ? "pause" : "play");
  }

  follow() {
    this.live = new Live(this.root.dataset.liveUrl, this.last, {
      onNews: (news) => this.apply(news),
      onState: (state, waiting) => this.showLive(state, waiting),
    });
  }

  apply({ letters, errors }) {
    this.data.append(letters, errors);
    this.grow();
    this.refreshHead();
  }

  /** What only the server can count (outcome, tokens, time taken) is asked for, at most once in a while. */
  refreshHead() {
    this.head ||= setTimeout(async () => {
      this.head = null;
      const template = document.createElement("template");
      try {
        template.innerHTML = await fetchHtml(location.pathname);
      } catch (error) {
        notify(`The run's figures could not be refreshed: ${error.message}.`);
        return;
      }
      this.find("[data-head]").replaceWith(template.content.querySelector("[data-head]"));
      showTimes(this.find("[data-head]"));
      this.showTotals();
    }, HEAD_MS);
  }

  togglePause() {
    if (this.live.isPaused) this.live.resume();
    else this.live.pause();
  }

  showLive(state, waiting) {
    const status = this.find("[data-live-state]");
    status.dataset.liveState = state;
    status.textContent = state;
    const pause = this.find("[data-pause]");
    pause.textContent = this.live?.isPaused ? "Resume" : "Pause";
    pause.hidden = state === "ended" && !waiting;
    const catchUp = this.find("[data-catch-up]");
    catchUp.hidden = !waiting;
    catchUp.textContent = `${number.format(waiting)} new event${waiting === 1 ? "" : "s"}`;
  }
}

function setIcon(element, name) {
  const use = element.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${name}`));
}

function legendEntry(name, total) {
  const entry = document.createElement("li");
  const mark = document.createElement("span");
  mark.className = `mark family-${name}`;
  const button = document.createElement("button");
  button.type = "button";
  button.title = `Next ${name === "trouble" ? "error" : `${name} event`}`;
  if (name === "trouble") button.dataset.nextError = "";
  else button.dataset.nextFamily = name;
  button.append(mark, `${name === "trouble" ? "error" : name} ${number.format(total)}`);
  entry.append(button);
  return entry;
}
