// The keyboard. Pages bind their own keys; none is heard while the viewer types or a dialog is open.
const PREFIX_MS = 1200;
const SCROLLING = new Set(["PageUp", "PageDown", "Home", "End"]);
const bindings = new Map();

/** Binds keys by `event.key` ("j", "ArrowLeft"), "Space", or a sequence such as "g r", to functions. */
export function bindKeys(keys) {
  for (const [key, run] of Object.entries(keys)) bindings.set(key, run);
}

export function startKeys() {
  const dialog = document.getElementById("keys");
  if (!dialog) return;
  bindKeys({ "?": () => dialog.showModal(), "/": focusSearch });
  for (const link of document.querySelectorAll("[data-go]")) bindKeys({ [`g ${link.dataset.go}`]: () => link.click() });

  document.addEventListener("keydown", hear);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-show-keys]")) dialog.showModal();
    if (event.target === dialog) dialog.close(); // The backdrop.
  });
}

let prefix = "";
let prefixAt = 0;

function hear(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
  const key = event.key === " " ? "Space" : event.key;
  const isSequence = prefix && performance.now() - prefixAt < PREFIX_MS;
  const run = bindings.get(isSequence ? `${prefix} ${key}` : key);
  prefix = !isSequence && key === "g" ? "g" : "";
  prefixAt = performance.now();
  if (!run) return;
  event.preventDefault();
  run();
}

/** Whether the focused element has its own use for the key. */
function isTaken(event) {
  const { target, key } = event;
  if (!(target instanceof Element)) return false;
  if (document.querySelector("dialog[open]")) return true;
  if (target.closest("input, textarea, select, [contenteditable]")) return true;
  if (key === " ") return target.closest("button, a, summary") !== null;
  return SCROLLING.has(key) && target.closest(".pane-body") !== null;
}

function focusSearch() {
  const field = [...document.querySelectorAll("[data-search]")].find((search) => search.checkVisibility());
  field?.focus();
  field?.select();
}
