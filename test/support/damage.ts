/** Deterministic damage for fuzz tests: every run has the same inputs, so that a failure can be repeated. */
import { isNightly } from './nightly.ts';

/** The part of the damaged copies that `npm test` tries. `npm run test:nightly` tries all. */
export const TRIED_PART = isNightly ? 1 : 1 / 4;

/**
 * Creates a generator of pseudo-random integers below a bound (a linear congruential generator; Numerical Recipes,
 * 7.1).
 */
export function makeRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Yields `count` damaged copies of a file in nightly tests, otherwise `TRIED_PART` of them. */
export function damaged(bytes: Uint8Array, count: number, seed: number): Generator<Uint8Array> {
  return damagedCopies(bytes, Math.ceil(count * TRIED_PART), seed);
}

/** Yields damaged copies of a file: cut short or with a few changed bytes, mostly near the start where headers are. */
export function* damagedCopies(bytes: Uint8Array, count: number, seed: number): Generator<Uint8Array> {
  const random = makeRandom(seed);
  const extremes = [0x00, 0x01, 0x7f, 0x80, 0xff];
  for (let copy = 0; copy < count; copy++) {
    const cut = random(4) === 0 ? random(bytes.length) : bytes.length;
    const broken = new Uint8Array(bytes.subarray(0, cut));
    for (let change = random(6); change > 0 && broken.length > 0; change--) {
      const at = random(random(3) === 0 ? broken.length : Math.min(broken.length, 128));
      broken[at] = random(2) === 0 ? extremes[random(extremes.length)]! : random(256);
    }
    yield broken;
  }
}
