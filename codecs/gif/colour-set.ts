/** More than twice the number of colours, so that searches stay short. */
const SLOTS = 1024;
const SHIFT = 22;

/** A set of at most 256 colours, numbered in the order in which they were added. */
export class ColourSet {
  static readonly MAX = 256;
  readonly #keys = new Uint32Array(SLOTS);
  /** One more than the number; 0 means free. */
  readonly #numbers = new Uint16Array(SLOTS);
  readonly colours = new Uint32Array(ColourSet.MAX);
  size = 0;

  static of(colours: Iterable<number>): ColourSet {
    const set = new ColourSet();
    for (const colour of colours) set.add(colour);
    return set;
  }

  /** Returns the number of a colour, -1 when it is not in the set. */
  indexOf(colour: number): number {
    return (this.#numbers[this.#slot(colour)] as number) - 1;
  }

  /** Adds a colour if it is new and there is space. Returns its number, -1 when there is no space. */
  add(colour: number): number {
    const slot = this.#slot(colour);
    const number = this.#numbers[slot] as number;
    if (number > 0) return number - 1;
    if (this.size === ColourSet.MAX) return -1;
    this.#keys[slot] = colour;
    this.colours[this.size] = colour;
    this.size += 1;
    this.#numbers[slot] = this.size;
    return this.size - 1;
  }

  clear(): void {
    this.#numbers.fill(0);
    this.size = 0;
  }

  #slot(colour: number): number {
    let slot = Math.imul(colour, 0x9e3779b1) >>> SHIFT;
    while (this.#numbers[slot] !== 0 && this.#keys[slot] !== colour) slot = (slot + 1) % SLOTS;
    return slot;
  }
}
