/** Decodes JB2: a bitonal image as shapes and their positions (DjVu 3 Specification, 2005, appendix 2). */

import type { Size } from '../../../base/geometry.ts';
import { BitmapDecoder } from './jb2-bitmap.ts';
import { MAX_NUMBER, MIN_NUMBER, NumberDecoder } from './jb2-numbers.ts';
import { crop, type Mask } from './mask.ts';
import { ZpDecoder } from './zp.ts';

/** A shape at a position in the image. */
export interface PlacedShape {
  shape: Mask;
  /** Position of its bottom left corner, from that of the image. */
  left: number;
  bottom: number;
}

export interface Jb2 extends Size {
  /** In coding order, which is the order of their colours. */
  placed: PlacedShape[];
  /** The shapes that later records, or images that share this dictionary, refer to by number. */
  library: Mask[];
  /** The data are truncated or damaged; everything before is returned. */
  truncated: boolean;
}

/** Limits for hostile streams, shared by an image and the dictionaries that it uses. */
export interface Jb2Budget {
  /** Pixels of coded bitmaps, their rows counted in whole words. */
  pixels: number;
  records: number;
}

/** More than any real page or shared dictionary holds. */
export const MAX_RECORDS = 1 << 20;
const DICTIONARY_PIXELS = 1 << 26;
/** Records that a reset counts as, because contexts must be allocated again. */
const RESET_RECORDS = 64;

export const budgetFor = (page: { width: number; height: number }): Jb2Budget => ({
  pixels: DICTIONARY_PIXELS + 2 * page.width * page.height,
  records: MAX_RECORDS,
});

const START = 0;
const NON_SYMBOL = 8;
const DICTIONARY_OR_RESET = 9;
const COMMENT = 10;
const END = 11;

/**
 * What records with a bitmap do (Table 6): coded directly, refined or copied; added to the library, drawn on the image.
 */
const ACTIONS: Record<number, { coding: 'direct' | 'refined' | 'copied'; library: boolean; image: boolean }> = {
  1: { coding: 'direct', library: true, image: true },
  2: { coding: 'direct', library: true, image: false },
  3: { coding: 'direct', library: false, image: true },
  4: { coding: 'refined', library: true, image: true },
  5: { coding: 'refined', library: true, image: false },
  6: { coding: 'refined', library: false, image: true },
  7: { coding: 'copied', library: false, image: true },
};

/**
 * Decodes an Sjbz or a Djbz chunk.
 * @param inherited returns the shapes of the dictionary that this one builds upon; called only if the data need it
 */
export const decodeJb2 = (data: Uint8Array, inherited: () => readonly Mask[] | undefined, budget: Jb2Budget): Jb2 =>
  new Jb2Decoder(data, budget).decode(inherited);

class Jb2Decoder {
  readonly #zp: ZpDecoder;
  readonly #numbers: NumberDecoder;
  readonly #bitmaps: BitmapDecoder;
  readonly #budget: Jb2Budget;
  readonly #refinementFlag = new Uint8Array(1);
  readonly #newLineFlag = new Uint8Array(1);
  #library: Mask[] = [];
  readonly #placed: PlacedShape[] = [];
  #width = 0;
  #height = 0;
  // Positions are counted from 1 during decoding.
  #lineLeft = 0;
  #lineBottom = 0;
  #lastRight = 0;
  /** The bottoms of the last three symbols of the line; their median is the baseline. */
  #bottoms: [number, number, number] = [0, 0, 0];

  constructor(data: Uint8Array, budget: Jb2Budget) {
    this.#zp = new ZpDecoder(data);
    this.#numbers = new NumberDecoder(this.#zp);
    this.#bitmaps = new BitmapDecoder(this.#zp);
    this.#budget = budget;
  }

  decode(inherited: () => readonly Mask[] | undefined): Jb2 {
    const complete = this.#start(inherited) && this.#decodeRecords();
    return {
      width: this.#width,
      height: this.#height,
      placed: this.#placed,
      library: this.#library,
      truncated: !complete,
    };
  }

  /** Decodes everything up to and including the record that starts the image. */
  #start(inherited: () => readonly Mask[] | undefined): boolean {
    for (;;) {
      const type = this.#number('recordType', START, END);
      if (this.#zp.starved || --this.#budget.records < 0) return false;
      if (type === START) break;
      if (type === COMMENT) this.#skipComment();
      else if (type === DICTIONARY_OR_RESET) {
        const size = this.#number('dictionarySize', 0, MAX_NUMBER);
        const shapes = inherited();
        // A second dictionary would cost another copy for a few bits.
        if (size !== (shapes?.length ?? 0) || this.#library.length > 0) return false;
        this.#library = [...(shapes ?? [])];
      } else return false;
    }
    this.#width = this.#number('imageSize', 0, MAX_NUMBER);
    this.#height = this.#number('imageSize', 0, MAX_NUMBER);
    // A flag for a coding that was never specified.
    this.#zp.decode(this.#refinementFlag, 0);
    this.#lineBottom = this.#height;
    this.#bottoms.fill(this.#height);
    return true;
  }

  /** Decodes the records. Returns whether the end was reached without errors. */
  #decodeRecords(): boolean {
    for (;;) {
      const type = this.#number('recordType', START, END);
      if (this.#zp.starved || --this.#budget.records < 0) return false;
      if (type === END) return true;
      if (type === COMMENT) this.#skipComment();
      else if (type === DICTIONARY_OR_RESET) {
        this.#budget.records -= RESET_RECORDS;
        this.#numbers.reset();
      } else if (type === START || !this.#decodeShape(type)) return false;
    }
  }

  #number(...request: Parameters<NumberDecoder['decode']>): number {
    return this.#numbers.decode(...request);
  }

  #skipComment(): void {
    const length = this.#number('commentLength', 0, MAX_NUMBER);
    for (let at = 0; at < length && !this.#zp.starved; at++) this.#number('commentByte', 0, 255);
    this.#budget.records -= length;
  }

  #decodeShape(type: number): boolean {
    if (type === NON_SYMBOL) {
      const shape = this.#decodeDirect();
      if (!shape || this.#width === 0 || this.#height === 0) return false;
      const left = this.#number('column', 1, this.#width);
      const top = this.#number('row', 1, this.#height);
      this.#placed.push({ shape, left: left - 1, bottom: top - shape.height });
      return true;
    }
    const { coding, library, image } = ACTIONS[type]!;
    const shape = coding === 'direct' ? this.#decodeDirect() : this.#decodeMatched(coding);
    if (!shape) return false;
    if (image) this.#placeInLine(shape);
    if (library) this.#library.push(crop(shape));
    return true;
  }

  #decodeDirect(): Mask | undefined {
    const width = this.#number('width', 0, MAX_NUMBER);
    const height = this.#number('height', 0, MAX_NUMBER);
    return this.#afford(width, height) ? this.#bitmaps.decodeDirect(width, height) : undefined;
  }

  #decodeMatched(coding: 'refined' | 'copied'): Mask | undefined {
    if (this.#library.length === 0) return undefined;
    const model = this.#library[this.#number('matchIndex', 0, this.#library.length - 1)]!;
    if (coding === 'copied') return model;
    const width = model.width + this.#number('widthDifference', MIN_NUMBER, MAX_NUMBER);
    const height = model.height + this.#number('heightDifference', MIN_NUMBER, MAX_NUMBER);
    return this.#afford(width, height) ? this.#bitmaps.decodeRefined(width, height, model) : undefined;
  }

  #afford(width: number, height: number): boolean {
    if (width < 0 || height < 0 || width > MAX_NUMBER || height > MAX_NUMBER) return false;
    this.#budget.pixels -= Math.ceil(width / 32) * 32 * height;
    return this.#budget.pixels >= 0;
  }

  /** Places a shape beside the previous one, or at the start of a new line. */
  #placeInLine(shape: Mask): void {
    let left: number;
    let bottom: number;
    if (this.#zp.decode(this.#newLineFlag, 0)) {
      left = this.#lineLeft + this.#number('newLineColumn', MIN_NUMBER, MAX_NUMBER);
      const top = this.#lineBottom + this.#number('newLineRow', MIN_NUMBER, MAX_NUMBER);
      bottom = top - shape.height + 1;
      this.#lineLeft = left;
      this.#lineBottom = bottom;
      this.#bottoms = [bottom, bottom, bottom];
    } else {
      left = this.#lastRight + this.#number('sameLineColumn', MIN_NUMBER, MAX_NUMBER);
      bottom = median(this.#bottoms) + this.#number('sameLineRow', MIN_NUMBER, MAX_NUMBER);
      this.#bottoms = [this.#bottoms[1], this.#bottoms[2], bottom];
    }
    this.#lastRight = left + shape.width - 1;
    this.#placed.push({ shape, left: left - 1, bottom: bottom - 1 });
  }
}

const median = ([a, b, c]: readonly [number, number, number]): number =>
  Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
