// Buttons that copy: what stands in `data-copy`, or what the address in `data-copy-from` answers with.
import { notify } from "./chrome.js";

const SAID_MS = 1500;

export function startCopy() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-from], [data-copy-link]");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(await textOf(button));
      say(button);
    } catch (error) {
      notify(`Nothing was copied: ${error.message}.`);
    }
  });
}

async function textOf(button) {
  if (button.dataset.copyLink) return new URL(button.dataset.copyLink, location.href).href;
  if (!button.dataset.copyFrom) return button.dataset.copy;
  const answer = await fetch(button.dataset.copyFrom);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.text();
}

function say(button) {
  const label = (button.dataset.label ??= button.textContent);
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = label;
  }, SAID_MS);
}
