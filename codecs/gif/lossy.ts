/**
 * Makes pixels repeat themselves, so that LZW takes fewer bytes: a phrase of the dictionary that is close enough to the
 * next pixels replaces them. The method is that of giflossy (Kornel Lesiński, https://kornel.ski/lossygif), which
 * gifsicle has as `--lossy`, and so is the scale of its strength.
 */
import { type Codes, CodeWriter, type Pixels } from './lzw.ts';

/** The largest squared difference of a pixel, in RGB, for each step of the strength; as in gifsicle. */
const DIFFERENCE_PER_STEP = 10;
/** Share of the error of a pixel that is carried to the next one, so that errors of a phrase cancel out. */
const CARRIED = 3 / 4;

const MAX_CODES = 4096;
const NONE = -1;

/** The phrases of the dictionary as a tree: the children of a phrase are those with one more pixel. */
export class LossyEncoder {
  readonly #maxDifference: number;
  readonly #child = new Int16Array(MAX_CODES);
  readonly #sibling = new Int16Array(MAX_CODES);
  readonly #parent = new Int16Array(MAX_CODES);
  readonly #last = new Uint8Array(MAX_CODES);
  #next = 0;
  #colours: ArrayLike<number> = [];
  #pixels: Pixels = { indices: new Uint8Array(), optional: null, length: 0, transparent: NONE, bits: 8 };
  /** The best phrase found, the position after it and its total difference. */
  #phrase = 0;
  #end = 0;
  #difference = 0;

  /** @param strength 1 to 200 */
  constructor(strength: number) {
    this.#maxDifference = strength * DIFFERENCE_PER_STEP;
  }

  /**
   * Replaces indices by those of similar colours where that makes phrases longer, and codes the pixels with these
   * phrases. Pixels that may stay as they are shown stay so, and transparent ones stay transparent.
   * @param colours of the indices, as `colourOf` packs them
   */
  encode(pixels: Pixels, colours: ArrayLike<number>): Codes {
    this.#pixels = pixels;
    this.#colours = colours;
    const clear = 1 << pixels.bits;
    const codes = new CodeWriter(pixels.bits);
    codes.write(clear);
    this.#clear();
    for (let start = 0; start < pixels.length; start = this.#end) {
      this.#findPhrase(start);
      this.#draw();
      codes.write(this.#phrase);
      if (this.#next === MAX_CODES) {
        codes.write(clear);
        this.#clear();
      } else if (this.#end < pixels.length) this.#add(this.#phrase, this.#firstAt(this.#end));
    }
    codes.write(clear + 1);
    return codes.finish();
  }

  #clear(): void {
    const clear = 1 << this.#pixels.bits;
    this.#child.fill(NONE);
    for (let index = 0; index < clear; index += 1) {
      this.#parent[index] = NONE;
      this.#last[index] = index;
    }
    // After the codes that clear and end.
    this.#next = clear + 2;
  }

  #add(phrase: number, index: number): void {
    const added = this.#next;
    this.#last[added] = index;
    this.#parent[added] = phrase;
    this.#sibling[added] = this.#child[phrase] as number;
    this.#child[phrase] = added;
    this.#next += 1;
  }

  /** The first pixel of a phrase is exact. */
  #firstAt(start: number): number {
    const { indices, optional, transparent } = this.#pixels;
    return optional?.[start] ? transparent : (indices[start] as number);
  }

  #findPhrase(start: number): void {
    this.#end = start;
    this.#follow(this.#firstAt(start), start + 1, 0, 0, 0, 0);
  }

  /** Finds the longest phrase that begins with this one. Of equally long ones, that with the smallest difference. */
  #follow(phrase: number, at: number, difference: number, red: number, green: number, blue: number): void {
    if (at > this.#end || (at === this.#end && difference < this.#difference)) {
      this.#phrase = phrase;
      this.#end = at;
      this.#difference = difference;
    }
    const { indices, optional, length, transparent } = this.#pixels;
    if (at >= length) return;
    const wanted = indices[at] as number;
    const colour = this.#colours[wanted] as number;
    const isFixed = wanted === transparent || optional?.[at] === 1;
    for (let child = this.#child[phrase] as number; child !== NONE; child = this.#sibling[child] as number) {
      const drawn = this.#last[child] as number;
      if (drawn === wanted) {
        this.#follow(child, at + 1, difference, red * CARRIED, green * CARRIED, blue * CARRIED);
        continue;
      }
      if (drawn === transparent) {
        if (optional?.[at] === 1) this.#follow(child, at + 1, difference, 0, 0, 0);
        continue;
      }
      if (isFixed) continue;
      const other = this.#colours[drawn] as number;
      const r = (colour & 0xff) - (other & 0xff);
      const g = ((colour >>> 8) & 0xff) - ((other >>> 8) & 0xff);
      const b = ((colour >>> 16) & 0xff) - ((other >>> 16) & 0xff);
      const apart = Math.min(squared(r + red, g + green, b + blue), squared(r + red / 2, g + green / 2, b + blue / 2));
      if (apart > this.#maxDifference) continue;
      const next = difference + apart;
      this.#follow(child, at + 1, next, r + red * CARRIED, g + green * CARRIED, b + blue * CARRIED);
    }
  }

  /** Writes the phrase over its pixels. */
  #draw(): void {
    const { indices } = this.#pixels;
    let at = this.#end;
    for (let phrase = this.#phrase; phrase !== NONE; phrase = this.#parent[phrase] as number) {
      at -= 1;
      indices[at] = this.#last[phrase] as number;
    }
  }
}

const squared = (red: number, green: number, blue: number): number => red * red + green * green + blue * blue;
