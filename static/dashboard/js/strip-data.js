// What a strip knows about a run, and how it is brought to a number of columns. Pure: no page, no canvas.
import { FAMILIES, LANES, familyIndex } from "./families.js";

export const EMPTY = 255;

export class StripData {
  /**
   * @param {string} letters one letter an event, in order
   * @param {number[]} errors versions (from 1) of the events that are errors, ascending
   */
  constructor(letters, errors) {
    this.letters = letters;
    this.errors = errors;
  }

  get count() {
    return this.letters.length;
  }

  append(letters, errors) {
    this.letters += letters;
    this.errors.push(...errors);
  }

  family(version) {
    return FAMILIES[familyIndex(this.letters[version - 1])];
  }

  isError(version) {
    const index = firstAtLeast(this.errors, version);
    return this.errors[index] === version;
  }

  /** The version of the next error after `version`; from the last one on, the first; undefined if there is none. */
  nextError(version) {
    return this.errors[firstAtLeast(this.errors, version + 1)] ?? this.errors[0];
  }

  /** The version of the next event of a family after `version`; from the last one on, the first; undefined for none. */
  nextOf(name, version) {
    for (let step = 1; step <= this.count; step += 1) {
      const at = ((version - 1 + step) % this.count) + 1;
      if (this.family(at).name === name) return at;
    }
    return undefined;
  }

  /** How many events each family has, in the order of FAMILIES. */
  totals() {
    const totals = new Array(FAMILIES.length).fill(0);
    for (const letter of this.letters) totals[familyIndex(letter)] += 1;
    return totals;
  }

  /**
   * The events in `columns` equal columns. For each column and lane, at `column * LANES.length + lane`: the family
   * with most events there (`families`, EMPTY if none), how many events there are (`amounts`), and whether an error
   * is among them (`errors`).
   */
  bins(columns) {
    const lanes = LANES.length;
    const width = FAMILIES.length;
    const counts = new Uint32Array(columns * width);
    const families = new Uint8Array(columns * lanes).fill(EMPTY);
    const amounts = new Uint32Array(columns * lanes);
    const errors = new Uint8Array(columns * lanes);
    const column = (index) => Math.floor((index * columns) / this.count);

    for (let index = 0; index < this.count; index += 1) {
      counts[column(index) * width + familyIndex(this.letters[index])] += 1;
    }
    const most = new Uint32Array(columns * lanes);
    counts.forEach((count, cell) => {
      const family = cell % width;
      const slot = Math.floor(cell / width) * lanes + FAMILIES[family].lane;
      amounts[slot] += count;
      if (count > most[slot]) {
        most[slot] = count;
        families[slot] = family;
      }
    });
    for (const version of this.errors) errors[column(version - 1) * lanes + this.family(version).lane] = 1;
    return { families, amounts, errors };
  }
}

function firstAtLeast(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
