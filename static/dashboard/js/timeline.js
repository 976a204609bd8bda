// The list of events: a window of rows around the viewer, extended as they scroll, moved when they jump.
import { fetchHtml } from "./fragments.js";

const WINDOW = 100; // rows that the server gives at once
const MOST = 500; // rows kept in the page
const JUMP_MS = 120;
const MARGIN_ROWS = 2;

export class Timeline {
  /**
   * @param {HTMLElement} element the scrolling list
   * @param {string} url where rows come from: ?around=, ?after= or ?before= a version
   * @param {number} last the run's last version
   * @param {(error: Error) => void} onFailure
   */
  constructor(element, { url, last, onFailure }) {
    this.element = element;
    this.rows = element.querySelector("[data-rows]");
    this.more = {
      before: element.querySelector("[data-more=before]"),
      after: element.querySelector("[data-more=after]"),
    };
    this.url = url;
    this.last = last;
    this.onFailure = onFailure;
    this.version = 0;
    this.queue = Promise.resolve();
    this.jump = null;
    this.sight = new IntersectionObserver((entries) => this.seen(entries), { root: element, rootMargin: "600px 0px" });
    new ResizeObserver(() => this.mark()).observe(element); // Its row stays in view when the pane changes its size.
    this.showMore();
  }

  get first() {
    return Number(this.rows.firstElementChild?.dataset.version ?? 1);
  }

  get loaded() {
    return Number(this.rows.lastElementChild?.dataset.version ?? 0);
  }

  /** Marks the row of `version` and keeps it in view, fetching rows if it is not among those here. */
  select(version) {
    this.version = version;
    this.rows.querySelector("[aria-current]")?.removeAttribute("aria-current");
    clearTimeout(this.jump);
    if (!this.mark()) this.jump = setTimeout(() => this.reach(), this.isNext() ? 0 : JUMP_MS);
  }

  mark() {
    const row = this.row(this.version);
    row?.firstElementChild.setAttribute("aria-current", "step");
    if (row) this.keepInView(row);
    return row;
  }

  row(version) {
    return this.rows.children[version - this.first];
  }

  keepInView(row) {
    const { element } = this;
    if (!element.clientHeight) return;
    const margin = MARGIN_ROWS * row.offsetHeight;
    const top = row.offsetTop - margin;
    const bottom = row.offsetTop + row.offsetHeight + margin;
    if (top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight) return;
    const isFar = bottom < element.scrollTop || top > element.scrollTop + element.clientHeight;
    if (isFar) element.scrollTop = row.offsetTop - element.clientHeight / 2;
    else if (top < element.scrollTop) element.scrollTop = top;
    else element.scrollTop = bottom - element.clientHeight;
  }

  /** The run has grown to `last` events. */
  grow(last) {
    this.last = last;
    this.showMore();
  }

  /** Brings in the row that the viewer has moved to: by one more window, or by another one. */
  reach() {
    return this.enqueue(async () => {
      const { version } = this;
      if (this.row(version)) return;
      if (this.isNext()) this.append(await this.fetchRows("after", this.loaded));
      else this.rows.replaceChildren(...(await this.fetchRows("around", version)));
      this.mark();
    });
  }

  isNext() {
    return this.version > this.loaded && this.version <= this.loaded + WINDOW;
  }

  /** Adds the window before or after the rows that are here. */
  extend(side) {
    return this.enqueue(async () => {
      if (side === "before" ? this.first <= 1 : this.loaded >= this.last) return;
      const added = await this.fetchRows(side, side === "before" ? this.first : this.loaded);
      if (side === "before") this.prepend(added);
      else this.append(added);
    });
  }

  /** One change of the list at a time, in the order in which they were asked for. */
  enqueue(change) {
    this.queue = this.queue.then(change).catch(this.onFailure).then(() => this.showMore());
    return this.queue;
  }

  async fetchRows(side, version) {
    const template = document.createElement("template");
    template.innerHTML = await fetchHtml(`${this.url}?${side}=${version}`);
    return [...template.content.querySelectorAll("li")];
  }

  prepend(added) {
    const below = this.element.scrollHeight - this.element.scrollTop;
    this.rows.prepend(...added);
    this.element.scrollTop = this.element.scrollHeight - below;
    while (this.rows.childElementCount > MOST) this.rows.lastElementChild.remove();
  }

  append(added) {
    const isNew = this.loaded >= this.last - added.length;
    if (isNew) for (const row of added) row.classList.add("is-arriving");
    this.rows.append(...added);
    const height = this.element.scrollHeight;
    while (this.rows.childElementCount > MOST) this.rows.firstElementChild.remove();
    this.element.scrollTop -= height - this.element.scrollHeight;
  }

  seen(entries) {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) this.extend(target.dataset.more);
    }
  }

  /** Shows the ends that have more behind them, and watches for them to come into sight. */
  showMore() {
    this.more.before.hidden = this.first <= 1;
    this.more.after.hidden = this.loaded >= this.last;
    for (const end of Object.values(this.more)) {
      this.sight.unobserve(end);
      if (!end.hidden) this.sight.observe(end);
    }
  }
}
