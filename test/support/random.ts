/** Random choices that come again with the same seed, so that a test that fails can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1, without 1. Mulberry32, by Tommy Ettinger, public domain. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 to below `bound`. */
  integer(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(items.length)]!;
  }

  /** The name of one of the weights, as often as they say. */
  weighted<N extends string>(weights: Readonly<Record<N, number>>): N {
    const entries = Object.entries<number>(weights) as [N, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      rest -= weight;
      if (rest < 0) return name;
    }
    return entries.at(-1)![0];
  }
}
