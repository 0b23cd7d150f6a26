/**
 * The LZW compression of GIF (GIF89a, appendix F), with a choice for some pixels: an animation looks the same whether
 * an unchanged pixel is written again or left out as transparent.
 */

/** Codes have at most 12 bits. */
const MAX_CODES = 4096;
const MAX_WIDTH = 12;
/** Number of phrases of one length that are followed at a time. More did not make files measurably smaller. */
const MAX_MATCHES = 8;

/** The pixels to be compressed. */
export interface Pixels {
  /** Indices into the palette. */
  indices: Uint8Array;
  /** Not 0 where the transparent index gives the same result; null when it does so nowhere. */
  optional: Uint8Array | null;
  /** Number of pixels; the arrays may be longer. */
  length: number;
  /** The index that lets the pixel below show through. */
  transparent: number;
  /** 2 to 8: every index is less than 1 << bits. */
  bits: number;
}

/** Codes before bit packing, and the number of bits they will take. */
export interface Codes {
  codes: Uint16Array;
  count: number;
  /** Bits of the codes, with the first clear code and the end code. */
  size: number;
  bits: number;
}

/** Collects codes, and counts the bits that `pack` needs for them. */
export class CodeWriter {
  readonly #bits: number;
  #codes = new Uint16Array(MAX_CODES);
  #count = 0;
  #size = 0;
  #width: number;
  #next = 0;

  constructor(bits: number) {
    this.#bits = bits;
    this.#width = bits + 1;
  }

  write(code: number): void {
    if (this.#count === this.#codes.length) {
      const longer = new Uint16Array(this.#codes.length * 2);
      longer.set(this.#codes);
      this.#codes = longer;
    }
    this.#codes[this.#count] = code;
    this.#count += 1;
    this.#size += this.#width;
    const clear = 1 << this.#bits;
    if (code === clear) {
      this.#next = clear + 1;
      this.#width = this.#bits + 1;
    }
    if (this.#next >= 1 << this.#width && this.#width < MAX_WIDTH) this.#width += 1;
    this.#next += 1;
  }

  finish(): Codes {
    return { codes: this.#codes, count: this.#count, size: this.#size, bits: this.#bits };
  }
}

/** The phrases since the last clear code, and the position up to which the pixels are coded. */
class Pass {
  readonly #table = new Uint16Array(MAX_CODES << 8);
  readonly #keys = new Int32Array(MAX_CODES);
  readonly #first = new Uint8Array(MAX_CODES);
  readonly #matches = [new Uint16Array(MAX_MATCHES), new Uint16Array(MAX_MATCHES)] as const;
  codes = new Uint16Array(MAX_CODES);
  count = 0;
  size = 0;
  position = 0;
  #added = 0;
  #next = 0;
  #width = 0;
  #previous = -1;
  #matched = 0;

  /** Restarts with an empty dictionary. */
  clear({ bits }: Pixels, position: number): void {
    for (let index = 0; index < this.#added; index += 1) this.#table[this.#keys[index] as number] = 0;
    for (let index = 0; index < 1 << bits; index += 1) this.#first[index] = index;
    this.#added = 0;
    this.#next = (1 << bits) + 2;
    this.#width = bits + 1;
    this.#previous = -1;
    this.position = position;
    this.forget();
  }

  /** Drops the codes produced so far, but keeps the dictionary. */
  forget(): void {
    this.count = 0;
    this.size = 0;
  }

  get full(): boolean {
    return this.#next >= MAX_CODES;
  }

  /** The width of the next code in bits. */
  get width(): number {
    return this.#width;
  }

  /** Produces codes until the dictionary is full. */
  fill(pixels: Pixels): void {
    while (this.position < pixels.length && this.#next < MAX_CODES) this.#step(pixels);
  }

  /** Produces codes up to a position or slightly beyond, without extending the dictionary. */
  advance(pixels: Pixels, end: number): void {
    while (this.position < end) this.#step(pixels);
  }

  #step(pixels: Pixels): void {
    const { indices, transparent, bits } = pixels;
    const table = this.#table;
    const start = this.position;
    // The decoder adds the previous phrase plus the first pixel of this one, just in time for this phrase to use it.
    let guess = -1;
    if (this.#previous >= 0 && this.#next < MAX_CODES) {
      const first = this.#first[this.#previous] as number;
      if (indices[start] === first || (first === transparent && pixels.optional?.[start])) {
        const key = (this.#previous << bits) | first;
        if (table[key] === 0) {
          table[key] = this.#next;
          this.#first[this.#next] = first;
          guess = key;
        }
      }
    }
    const code = pixels.optional ? this.#matchEither(pixels, pixels.optional) : this.#match(pixels);
    if (this.#previous >= 0 && this.#next < MAX_CODES) {
      const key = (this.#previous << bits) | (this.#first[code] as number);
      if (guess !== key) {
        if (guess >= 0) table[guess] = 0;
        guess = table[key] === 0 ? key : -1;
        if (guess >= 0) {
          table[key] = this.#next;
          this.#first[this.#next] = this.#first[this.#previous] as number;
        }
      }
      if (guess >= 0) {
        this.#keys[this.#added] = guess;
        this.#added += 1;
      }
      this.#next += 1;
    }
    this.position = this.#matched;
    this.#emit(code);
    this.#previous = code;
  }

  #emit(code: number): void {
    if (this.count === this.codes.length) {
      const longer = new Uint16Array(this.codes.length * 2);
      longer.set(this.codes);
      this.codes = longer;
    }
    this.codes[this.count] = code;
    this.count += 1;
    this.size += this.#width;
    // When the next code is read, the decoder may have added one more phrase.
    if (this.#next >= 1 << this.#width && this.#width < MAX_WIDTH) this.#width += 1;
  }

  #match({ indices, length, bits }: Pixels): number {
    const table = this.#table;
    let at = this.position;
    let code = indices[at] as number;
    for (at += 1; at < length; at += 1) {
      const next = table[(code << bits) | (indices[at] as number)] as number;
      if (next === 0) break;
      code = next;
    }
    this.#matched = at;
    return code;
  }

  /** Finds the longest phrase over all ways to write the pixels. */
  #matchEither({ indices, transparent, length, bits }: Pixels, optional: Uint8Array): number {
    const table = this.#table;
    let [matches, longer] = this.#matches;
    let at = this.position;
    let count = 1;
    matches[0] = indices[at] as number;
    if (optional[at] && indices[at] !== transparent) {
      matches[1] = transparent;
      count = 2;
    }
    for (at += 1; at < length; at += 1) {
      const index = indices[at] as number;
      const either = optional[at] !== 0 && index !== transparent;
      let found = 0;
      for (let match = 0; match < count; match += 1) {
        const row = (matches[match] as number) << bits;
        const plain = table[row | index] as number;
        if (plain !== 0 && found < MAX_MATCHES) {
          longer[found] = plain;
          found += 1;
        }
        if (!either) continue;
        const clear = table[row | transparent] as number;
        if (clear !== 0 && found < MAX_MATCHES) {
          longer[found] = clear;
          found += 1;
        }
      }
      if (found === 0) break;
      count = found;
      [matches, longer] = [longer, matches];
    }
    this.#matched = at;
    return matches[count - 1] as number;
  }
}

/** Finds the codes of images, one after the other. Keeps its dictionaries, so create one for a whole file. */
export class LzwEncoder {
  #current = new Pass();
  #fresh = new Pass();
  #codes = new Uint16Array(MAX_CODES);
  #count = 0;
  #size = 0;

  /**
   * Produces codes that decode to the pixels. When the dictionary is full, the next pixels are coded both with it and
   * with a new one, and the shorter result is kept.
   * @returns arrays that the next call overwrites
   */
  encode(pixels: Pixels): Codes {
    const { bits, length } = pixels;
    const clear = 1 << bits;
    this.#count = 0;
    this.#size = 0;
    this.#current.clear(pixels, 0);
    this.#append(clear, bits + 1);
    this.#current.fill(pixels);
    this.#take(this.#current);
    while (this.#current.position < length) {
      const start = this.#current.position;
      this.#fresh.clear(pixels, start);
      this.#fresh.fill(pixels);
      const stretch = this.#fresh.position - start;
      this.#current.advance(pixels, this.#fresh.position);
      const advanced = this.#current.position - start;
      if ((this.#current.size * stretch) / advanced > this.#fresh.size + MAX_WIDTH) {
        this.#append(clear, MAX_WIDTH);
        [this.#current, this.#fresh] = [this.#fresh, this.#current];
      }
      this.#take(this.#current);
    }
    this.#append(clear + 1, this.#current.width);
    return { codes: this.#codes, count: this.#count, size: this.#size, bits };
  }

  #append(code: number, width: number): void {
    this.#reserve(1);
    this.#codes[this.#count] = code;
    this.#count += 1;
    this.#size += width;
  }

  #take(pass: Pass): void {
    this.#reserve(pass.count);
    this.#codes.set(pass.codes.subarray(0, pass.count), this.#count);
    this.#count += pass.count;
    this.#size += pass.size;
    pass.forget();
  }

  #reserve(count: number): void {
    if (this.#count + count <= this.#codes.length) return;
    const longer = new Uint16Array(Math.max(this.#codes.length * 2, this.#count + count));
    longer.set(this.#codes.subarray(0, this.#count));
    this.#codes = longer;
  }
}

const MAX_SUB_BLOCK = 255;

/** Returns the bits of that many codes between one clear code and the end code when the dictionary is never cleared. */
export function codesSize(count: number, bits: number): number {
  let size = 0;
  let left = count;
  for (let width = bits + 1; left > 0; width += 1) {
    const codes = width === MAX_WIDTH ? left : Math.min(left, width === bits + 1 ? 1 << bits : 1 << (width - 1));
    size += codes * width;
    left -= codes;
  }
  return size;
}

/** Returns the bytes of packed codes: the initial code size, the sub-blocks and the terminator. */
export function packedSize({ size }: Pick<Codes, 'size'>): number {
  const bytes = Math.ceil(size / 8);
  return 1 + bytes + Math.ceil(bytes / MAX_SUB_BLOCK) + 1;
}

/** Packs codes to image data as stored in the file (GIF89a, section 22). */
export function pack({ codes, count, size, bits }: Codes): Uint8Array {
  const data = new Uint8Array(packedSize({ size }));
  data[0] = bits;
  const clear = 1 << bits;
  let next = clear + 2;
  let width = bits + 1;
  let held = 0;
  let pending = 0;
  let block = 1;
  let at = 2;
  for (let index = 0; index < count; index += 1) {
    const code = codes[index] as number;
    pending |= code << held;
    held += width;
    while (held >= 8) {
      if (at - block > MAX_SUB_BLOCK) {
        data[block] = MAX_SUB_BLOCK;
        block = at;
        at += 1;
      }
      data[at] = pending & 0xff;
      at += 1;
      pending >>>= 8;
      held -= 8;
    }
    if (code === clear) {
      next = clear + 1;
      width = bits + 1;
    }
    if (next >= 1 << width && width < MAX_WIDTH) width += 1;
    next += 1;
  }
  if (held > 0) {
    if (at - block > MAX_SUB_BLOCK) {
      data[block] = MAX_SUB_BLOCK;
      block = at;
      at += 1;
    }
    data[at] = pending;
    at += 1;
  }
  data[block] = at - block - 1;
  return data;
}
