// What every page does besides its content: menus that close, forms with clean addresses, failures that show.
export function startChrome() {
  document.addEventListener("click", closeMenus);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(event);
  });
  document.addEventListener("formdata", dropEmpty);
  document.addEventListener("htmx:responseError", (event) => {
    notify(`The server answered ${event.detail.xhr.status}; nothing was changed on this page.`);
  });
  // Where the row of pages is wider than the window, the one that one is on is in it.
  const here = document.querySelector(".subnav [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - (here.parentElement.clientWidth - here.offsetWidth) / 2;
  document.addEventListener("htmx:sendError", () => notify("The server cannot be reached."));
}

function closeMenus(event) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (event.type === "click" && menu.contains(event.target)) continue;
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
}

/** Filters that are not set stay out of the address. */
function dropEmpty(event) {
  if (!event.target.matches("[data-drop-empty]")) return;
  for (const [name, value] of [...event.formData]) {
    if (value === "") event.formData.delete(name);
  }
}

/** Says that something went wrong, until the viewer dismisses it. */
export function notify(text) {
  const notice = document.createElement("div");
  notice.className = "notice notice-error";
  const dismiss = document.createElement("button");
  dismiss.type = "button";
  dismiss.className = "button";
  dismiss.textContent = "Dismiss";
  dismiss.addEventListener("click", () => notice.remove());
  notice.append(text, dismiss);
  document.getElementById("notices").replaceChildren(notice);
}
