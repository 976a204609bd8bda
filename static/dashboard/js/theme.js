// Loaded in <head> without `defer`, so that the first paint already has the chosen theme.
(() => {
  const KEY = "aresweb-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // Storage is blocked: the system's theme it is.
    }
  }

  function remember(theme) {
    try {
      if (theme) localStorage.setItem(KEY, theme);
      else localStorage.removeItem(KEY);
    } catch {
      // Storage is blocked: the choice holds for this page only.
    }
  }

  function apply(theme) {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
    document.dispatchEvent(new Event("themechange"));
  }

  function toggle() {
    const systemTheme = system.matches ? "dark" : "light";
    const next = (root.dataset.theme || systemTheme) === "dark" ? "light" : "dark";
    // Choosing what the system has is choosing to follow the system.
    const theme = next === systemTheme ? null : next;
    remember(theme);
    apply(theme);
  }

  root.classList.add("js");
  apply(chosen());
  system.addEventListener("change", () => document.dispatchEvent(new Event("themechange")));
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-theme-toggle]")) toggle();
  });
})();
