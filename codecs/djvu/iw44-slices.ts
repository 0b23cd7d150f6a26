/** The progressive coding of the wavelet coefficients of one colour component (DjVu 3 Specification, 2005, section 10.4). */
import { CoefficientStore, GROUP } from './iw44-store.ts';
import type { ZpDecoder } from './zp.ts';

const BUCKET = 16;
const BANDS = 10;

/** The bucket that each band starts with, and how many it has (Table 2). */
const BAND_START = Uint8Array.of(0, 1, 2, 3, 4, 8, 12, 16, 32, 48);
const BAND_BUCKETS = Uint8Array.of(1, 1, 1, 1, 4, 4, 4, 16, 16, 16);
/** From this band on a band is a group of its own. */
const FINE_BANDS = 7;

/** Step sizes to start with (Table 3): of the 16 coefficients of band 0, and of the other bands. */
const FIRST_STEPS = [
  ...[0x4000, 0x8000, 0x8000, 0x10000],
  ...[0x10000, 0x10000, 0x10000, 0x10000],
  ...[0x10000, 0x10000, 0x10000, 0x10000],
  ...[0x20000, 0x20000, 0x20000, 0x20000],
];
const BAND_STEPS = [0, 0x20000, 0x20000, 0x40000, 0x40000, 0x40000, 0x80000, 0x40000, 0x40000, 0x80000];
/** The turns of a band with a step as great as this, or with none left, are skipped. */
const STEP_LIMIT = 0x8000;

/** What is known of a coefficient, or of any coefficient of a bucket or block. */
const ACTIVE = 1;
const UNKNOWN = 2;
const NEW = 4;

/** Where the contexts lie: 8 for the buckets of each band, 16 for coefficients that may become active, one each for the rest. */
const START_CONTEXTS = BANDS * 8;
const MANTISSA_CONTEXT = START_CONTEXTS + 16;
const ROOT_CONTEXT = MANTISSA_CONTEXT + 1;
/** More candidates of a bucket than this make no difference. */
const MANY_CANDIDATES = 7;

export class SliceDecoder {
  readonly store: CoefficientStore;
  readonly #contexts = new Uint8Array(ROOT_CONTEXT + 1);
  readonly #firstSteps = Int32Array.from(FIRST_STEPS);
  readonly #bandSteps = Int32Array.from(BAND_STEPS);
  #band = 0;
  /** Of the block that is being decoded: what was known of its coefficients before, and of its buckets so far. */
  readonly #known = new Uint8Array(GROUP);
  readonly #buckets = new Uint8Array(16);

  /** @param blocks of 32 x 32 pixels */
  constructor(blocks: number) {
    this.store = new CoefficientStore(blocks);
  }

  /** Decodes the next slice: about one more bit of each coefficient of one band. @returns false where the data end early */
  decode(zp: ZpDecoder): boolean {
    let complete = true;
    if (this.#isCoded()) {
      for (let block = 0; block < this.store.blocks && complete; block++) {
        this.#decodeBlock(zp, block);
        complete = !zp.starved;
      }
    }
    if (this.#band === 0) for (let at = 0; at < BUCKET; at++) this.#firstSteps[at]! >>= 1;
    else this.#bandSteps[this.#band]! >>= 1;
    this.#band = (this.#band + 1) % BANDS;
    return complete;
  }

  /** Whether there are data for the band at its present step. */
  #isCoded(): boolean {
    return this.#band === 0 ? this.#firstSteps.some(isCodable) : isCodable(this.#bandSteps[this.#band]!);
  }

  #decodeBlock(zp: ZpDecoder, block: number): void {
    const count = BAND_BUCKETS[this.#band]!;
    const data = this.store.find(block, this.#group);
    // Most blocks have nothing in the finest bands: they end with this one decision.
    if (!data && zp.decode(this.#contexts, ROOT_CONTEXT) === 0) return;
    const active = data ? this.#classify(data, block) & ACTIVE : this.#clear();
    const expectsNew = !data || count < 16 || active !== 0 || zp.decode(this.#contexts, ROOT_CONTEXT) === 1;
    if (expectsNew && this.#decodeBuckets(zp, block, active)) this.#activate(zp, block);
    if (active !== 0) this.#refine(zp, block);
  }

  /** Which group the coefficients of the band are in, and where in it they start. */
  get #group(): number {
    return this.#band < FINE_BANDS ? 0 : this.#band - FINE_BANDS + 1;
  }

  get #groupStart(): number {
    return this.#band < FINE_BANDS ? BAND_START[this.#band]! * BUCKET : 0;
  }

  /** Notes that nothing is known of a block. */
  #clear(): number {
    this.#buckets.fill(UNKNOWN);
    this.#known.fill(UNKNOWN);
    return 0;
  }

  /** Notes what is known of the coefficients and buckets of a block, and answers what is known of any. */
  #classify(data: Int16Array, block: number): number {
    const buckets = this.#buckets;
    const known = this.#known;
    const count = BAND_BUCKETS[this.#band]!;
    const start = this.store.offset(block, this.#group) + this.#groupStart;
    let all = 0;
    for (let bucket = 0; bucket < count; bucket++) {
      let any = 0;
      const end = (bucket + 1) * BUCKET;
      for (let at = bucket * BUCKET; at < end; at++) {
        let state = data[start + at] === 0 ? UNKNOWN : ACTIVE;
        if (this.#band === 0 && !isCodable(this.#firstSteps[at]!)) state = 0;
        known[at] = state;
        any |= state;
      }
      buckets[bucket] = any;
      all |= any;
    }
    return all;
  }

  /** Decodes which buckets hold coefficients that become active, and answers whether any does. */
  #decodeBuckets(zp: ZpDecoder, block: number, active: number): boolean {
    const band = this.#band;
    const buckets = this.#buckets;
    const count = BAND_BUCKETS[band]!;
    const { coarse } = this.store;
    let any = false;
    for (let bucket = 0; bucket < count; bucket++) {
      if ((buckets[bucket]! & UNKNOWN) === 0) continue;
      let context = 0;
      if (band > 0) {
        // The four coefficients of the next coarser band at the same place.
        const parents = block * GROUP + (BAND_START[band]! + bucket) * 4;
        for (let parent = parents; parent < parents + 4 && context < 3; parent++) if (coarse[parent] !== 0) context++;
      }
      if (active !== 0) context |= 4;
      if (zp.decode(this.#contexts, band * 8 + context) === 0) continue;
      buckets[bucket]! |= NEW;
      any = true;
    }
    return any;
  }

  /** Decodes which coefficients become active, with their signs. */
  #activate(zp: ZpDecoder, block: number): void {
    const contexts = this.#contexts;
    const known = this.#known;
    const count = BAND_BUCKETS[this.#band]!;
    const data = this.store.make(block, this.#group);
    const start = this.store.offset(block, this.#group) + this.#groupStart;
    for (let bucket = 0; bucket < count; bucket++) {
      const state = this.#buckets[bucket]!;
      if ((state & NEW) === 0) continue;
      const end = (bucket + 1) * BUCKET;
      let candidates = 0;
      for (let at = bucket * BUCKET; at < end; at++) if (known[at] === UNKNOWN) candidates++;
      const activeContext = (state & ACTIVE) === 0 ? START_CONTEXTS : START_CONTEXTS + 8;
      for (let at = bucket * BUCKET; at < end; at++) {
        if (known[at] !== UNKNOWN) continue;
        if (zp.decode(contexts, activeContext + Math.min(candidates, MANY_CANDIDATES)) === 0) {
          if (candidates > 0) candidates--;
          continue;
        }
        candidates = 0;
        const step = this.#step(at);
        // The middle of what it may be, slightly below, where more of the values are.
        const size = step + (step >> 1) - (step >> 3);
        data[start + at] = zp.decodeWavelet() === 1 ? -size : size;
      }
    }
  }

  /** Decodes one more bit of the coefficients that were active before. */
  #refine(zp: ZpDecoder, block: number): void {
    const contexts = this.#contexts;
    const known = this.#known;
    const count = BAND_BUCKETS[this.#band]!;
    const data = this.store.make(block, this.#group);
    const start = this.store.offset(block, this.#group) + this.#groupStart;
    for (let bucket = 0; bucket < count; bucket++) {
      if ((this.#buckets[bucket]! & ACTIVE) === 0) continue;
      const end = (bucket + 1) * BUCKET;
      for (let at = bucket * BUCKET; at < end; at++) {
        if (known[at] !== ACTIVE) continue;
        const step = this.#step(at);
        const value = data[start + at]!;
        let size = Math.abs(value);
        let bit: number;
        if (size <= 3 * step) {
          size += step >> 2;
          bit = zp.decode(contexts, MANTISSA_CONTEXT);
        } else bit = zp.decodeWavelet();
        size += (step >> 1) - (bit === 1 ? 0 : step);
        data[start + at] = value < 0 ? -size : size;
      }
    }
  }

  #step(at: number): number {
    return this.#band === 0 ? this.#firstSteps[at]! : this.#bandSteps[this.#band]!;
  }
}

function isCodable(step: number): boolean {
  return step > 0 && step < STEP_LIMIT;
}
