// The families of events: the letter that strips use, the name that CSS uses, and the lane in the strip.
export const FAMILIES = [
  { letter: "s", name: "session", lane: 0 },
  { letter: "t", name: "task", lane: 0 },
  { letter: "p", name: "step", lane: 0 },
  { letter: "a", name: "agent", lane: 0 },
  { letter: "m", name: "message", lane: 1 },
  { letter: "l", name: "llm", lane: 2 },
  { letter: "y", name: "memory", lane: 2 },
  { letter: "o", name: "tool", lane: 3 },
  { letter: "x", name: "other", lane: 0 },
];

export const LANES = ["run", "message", "model", "tool"];

const indexes = new Map(FAMILIES.map(({ letter }, index) => [letter, index]));
const OTHER = indexes.get("x");

/** The index in FAMILIES of a strip's letter, whatever its case; unknown letters are `other`. */
export function familyIndex(letter) {
  return indexes.get(letter.toLowerCase()) ?? OTHER;
}
