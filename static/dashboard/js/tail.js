// A list that keeps itself new: asked for again every few seconds, unless the viewer has paused it or is in it.
import { notify } from "./chrome.js";
import { fetchHtml } from "./fragments.js";
import { showTimes } from "./time.js";

const PERIOD_MS = 4000;

export function startTail(button) {
  let isPaused = false;
  let last = "";
  let failed = false;

  const show = () => {
    button.setAttribute("aria-pressed", isPaused);
    button.textContent = isPaused ? "Resume" : "Pause";
    const state = document.querySelector("[data-tail-state]");
    state.dataset.liveState = isPaused ? "paused" : failed ? "reconnecting" : "live";
    state.textContent = state.dataset.liveState;
  };

  const refresh = async () => {
    const results = document.querySelector("[data-tail]");
    // What somebody reads, points at or moves through by keyboard must not change under them.
    if (isPaused || document.hidden || !results || results.matches(":hover, :focus-within")) return;
    try {
      const html = await fetchHtml(location.pathname + location.search);
      failed = false;
      if (html !== last && document.contains(results)) {
        results.outerHTML = html;
        const fresh = document.getElementById("results");
        window.htmx.process(fresh);
        showTimes(fresh);
      }
      last = html;
    } catch (error) {
      if (!failed) notify(`The list could not be refreshed: ${error.message}. It is tried again.`);
      failed = true;
    }
    show();
  };

  button.addEventListener("click", () => {
    isPaused = !isPaused;
    show();
    if (!isPaused) refresh();
  });
  setInterval(refresh, PERIOD_MS);
  show();
}
