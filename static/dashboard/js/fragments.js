// Fetching pieces of pages from this server.

/** The HTML at `url`. Throws an Error whose message an operator can read; an AbortError when `signal` fires. */
export async function fetchHtml(url, signal) {
  const response = await ask(url, signal, "text/html");
  return response.text();
}

/** The JSON at `url`; throws as fetchHtml does. */
export async function fetchJson(url) {
  const response = await ask(url, undefined, "application/json");
  return response.json();
}

async function ask(url, signal, accept) {
  const headers = { Accept: accept, "HX-Request": "true" };
  let response;
  try {
    response = await fetch(url, { signal, headers, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server cannot be reached", { cause: error });
  }
  if (response.redirected) {
    location.reload(); // The page's own address leads to the log-in, and back.
    throw new Error("you are no longer logged in");
  }
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response;
}
