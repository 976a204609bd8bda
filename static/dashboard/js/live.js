// New events of a run as they are recorded. Knows which version it has, so that nothing is missed or told twice.
const FIRST_WAIT_MS = 1000;
const BRIEF_MS = 5000;
const LONGEST_WAIT_MS = 15_000;

export class Live {
  /**
   * @param {string} url of the event stream; ?after= is added
   * @param {number} version the last version that the page has
   * @param {(news: {letters: string, errors: number[]}) => void} onNews
   * @param {(state: string, waiting: number) => void} onState "live", "paused", "reconnecting" or "ended", and
   *   how many events wait until the viewer resumes
   */
  constructor(url, version, { onNews, onState }) {
    this.url = url;
    this.version = version;
    this.onNews = onNews;
    this.onState = onState;
    this.isPaused = false;
    this.connection = "connecting";
    this.openedAt = 0;
    this.wait = FIRST_WAIT_MS;
    this.hold();
    // A browser allows six connections to a server: a page that nobody sees must not hold one.
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.wake()));
    if (!document.hidden) this.open();
  }

  rest() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  wake() {
    if (!this.source && this.connection !== "ended") this.open();
  }

  open() {
    const source = new EventSource(`${this.url}?after=${this.version}`);
    this.source = source;
    source.addEventListener("open", () => {
      this.wait = FIRST_WAIT_MS;
      this.openedAt = performance.now();
      this.tell("live");
    });
    source.addEventListener("appended", (event) => this.receive(JSON.parse(event.data)));
    source.addEventListener("ended", () => {
      source.close();
      this.tell("ended");
    });
    source.addEventListener("error", () => this.renew());
  }

  /** Servers end long connections now and then. That is no trouble: the first attempt is made at once, quietly. */
  renew() {
    const wasOpen = this.connection === "live" && performance.now() - this.openedAt > BRIEF_MS;
    if (!wasOpen) return this.reopen();
    this.source.close();
    this.openedAt = performance.now();
    this.open();
  }

  /** Asks again from the version that is here; the browser's own retry would ask from the first one. */
  reopen() {
    this.rest();
    this.tell("reconnecting");
    this.retry = setTimeout(() => document.hidden || this.open(), this.wait);
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 2);
  }

  receive({ version, families, errors }) {
    const known = families.length - (version - this.version);
    if (known < 0) return this.reopen(); // Some are missing in between.
    this.waiting.letters += families.slice(known);
    this.waiting.errors.push(...errors.filter((error) => error > this.version));
    this.version = Math.max(this.version, version);
    if (this.isPaused) this.tell(this.connection);
    else this.flush();
  }

  pause() {
    this.isPaused = true;
    this.tell(this.connection);
  }

  resume() {
    this.isPaused = false;
    this.flush();
    this.tell(this.connection);
  }

  flush() {
    const news = this.waiting;
    this.hold();
    if (news.letters) this.onNews(news);
  }

  hold() {
    this.waiting = { letters: "", errors: [] };
  }

  tell(connection) {
    this.connection = connection;
    const isQuiet = this.isPaused && connection === "live";
    this.onState(isQuiet ? "paused" : connection, this.waiting.letters.length);
  }
}
