// The event and the state at one step: fetched as one fragment, out-of-date answers discarded.
import { fetchHtml } from "./fragments.js";
import { showTimes } from "./time.js";

const PAUSE_MS = 80;

export class StepPane {
  /**
   * @param {HTMLElement} element the place of the fragment
   * @param {(version: number) => string} urlOf
   * @param {(version: number, kind: string) => void} onShown called when a step has arrived
   */
  constructor(element, urlOf, onShown) {
    this.element = element;
    this.urlOf = urlOf;
    this.onShown = onShown;
    this.asked = -PAUSE_MS;
    this.timer = null;
    this.request = null;
    element.addEventListener("click", (event) => {
      const view = event.target.closest("[data-show-view]");
      if (view) this.showView(view.dataset.showView);
    });
  }

  /** A single step is fetched at once; of steps in quick succession only the last one is. */
  show(version) {
    const isSingle = performance.now() - this.asked > PAUSE_MS;
    this.asked = performance.now();
    clearTimeout(this.timer);
    this.request?.abort();
    this.timer = setTimeout(() => this.load(version), isSingle ? 0 : PAUSE_MS);
  }

  async load(version) {
    const request = new AbortController();
    this.request = request;
    this.element.setAttribute("aria-busy", "true");
    try {
      this.replace(await fetchHtml(this.urlOf(version), request.signal));
      this.onShown(version, this.element.querySelector("[data-kind]").dataset.kind);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.fail(version, error);
    }
    this.element.removeAttribute("aria-busy");
  }

  replace(html) {
    const hadFocus = this.element.contains(document.activeElement);
    const scrolled = this.element.querySelector("[data-keeps-scroll]")?.scrollTop ?? 0;
    this.element.innerHTML = html;
    showTimes(this.element);
    this.showView(this.element.dataset.view);
    const kept = this.element.querySelector("[data-keeps-scroll]");
    if (kept) kept.scrollTop = scrolled;
    if (hadFocus) this.element.querySelector(".pane-body").focus({ preventScroll: true });
  }

  showView(view) {
    this.element.dataset.view = view;
    for (const button of this.element.querySelectorAll("[data-show-view]")) {
      button.setAttribute("aria-pressed", button.dataset.showView === view);
    }
  }

  fail(version, error) {
    const pane = document.createElement("section");
    pane.className = "pane step-failure";
    const text = document.createElement("p");
    text.textContent = `Event ${version} could not be shown: ${error.message}.`;
    const again = document.createElement("button");
    again.type = "button";
    again.className = "button";
    again.textContent = "Try again";
    again.addEventListener("click", () => this.load(version));
    pane.append(text, again);
    this.element.replaceChildren(pane);
  }
}
