// <time datetime data-format="relative|clock|full">: shown in the viewer's zone, the exact instant in its title.
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const REFRESH_MS = 15_000;

const two = (number) => String(number).padStart(2, "0");
const three = (number) => String(number).padStart(3, "0");

const day = (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const clock = (at) => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
const precise = (at) => `${clock(at)}.${three(at.getMilliseconds())}`;

function offset(at) {
  const minutes = -at.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function relative(at) {
  const seconds = Math.round((Date.now() - at) / 1000);
  if (seconds < -MINUTE) return `${day(at)} ${clock(at)}`;
  if (seconds < 5) return "just now";
  if (seconds < MINUTE) return `${seconds} s ago`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  if (seconds < 7 * DAY) return `${Math.floor(seconds / DAY)} d ago`;
  return day(at);
}

const FORMATS = { relative, clock: precise, full: (at) => `${day(at)} ${precise(at)}` };

/** Shows every <time data-format> under `root` in the viewer's zone. */
export function showTimes(root) {
  for (const element of root.querySelectorAll("time[data-format]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue; // What the server wrote stays.
    element.textContent = FORMATS[element.dataset.format](at);
    element.title = `${day(at)} ${precise(at)} ${offset(at)}\n${element.dateTime}`;
  }
}

export function startTimes() {
  showTimes(document);
  document.addEventListener("htmx:load", (event) => showTimes(event.target.parentElement ?? document));
  setInterval(() => {
    if (!document.hidden) showTimes(document);
  }, REFRESH_MS);
}
