/**
 * Encodes one image of the file: the pixels of a rectangle that change the current frame, with the best colour table.
 */

import { areaOf, type Rectangle } from '../rectangle.ts';
import { ColourSet } from './colour-set.ts';
import { CLEAR } from './frames.ts';
import { LossyEncoder } from './lossy.ts';
import { type Codes, codesSize, LzwEncoder, type Pixels, pack, packedSize } from './lzw.ts';
import { type Palette, tableBits } from './palette.ts';

export interface EncodedImage {
  rectangle: Rectangle;
  /** null means the global table. */
  local: Palette | null;
  /** The transparent index of this image, -1 when there is none. */
  transparent: number;
  /** The compressed pixels. */
  data: Uint8Array;
}

/** The colours of the whole frame before and after an image is drawn. */
export interface Change {
  base: Uint32Array;
  target: Uint32Array;
  width: number;
}

/** The format has no code size for tables of two entries alone. */
const MIN_BITS = 2;

export class ImageEncoder {
  readonly #global: Palette;
  readonly #globalSet: ColourSet;
  readonly #limit: number;
  readonly #lzw = new LzwEncoder();
  readonly #must = new ColourSet();
  readonly #counts = new Uint32Array(ColourSet.MAX);
  readonly #indices: Uint8Array;
  readonly #optional: Uint8Array;
  readonly #lossy: LossyEncoder | undefined;

  /**
   * Creates an encoder.
   * @param limit how many entries a local table may have, including the transparent one
   * @param area the maximum number of pixels of one image
   * @param lossy strength, 0 to 200; 0 changes no pixel
   */
  constructor(global: Palette, limit: number, area: number, lossy: number) {
    this.#global = global;
    this.#globalSet = ColourSet.of(global.colours);
    this.#limit = limit;
    this.#indices = new Uint8Array(area);
    this.#optional = new Uint8Array(area);
    this.#lossy = lossy > 0 ? new LossyEncoder(lossy) : undefined;
  }

  /**
   * Encodes the smallest image found that turns the base into the target inside the rectangle. Pixels that are clear in
   * the target must be clear in the base, and the target must fit one table.
   * @param uncovers whether to declare a transparent index, if there is space, even when no pixel has it
   */
  encode(change: Change, rectangle: Rectangle, uncovers: boolean): EncodedImage {
    const { clear: hasClear, kept } = this.#survey(change, rectangle);
    const clear = hasClear || (uncovers && this.#must.size < this.#limit);
    const global = this.#withGlobal(change, rectangle, { clear, kept });
    const entries = this.#must.size + (clear || kept ? 1 : 0);
    if (global) {
      const gainsTransparency = kept && this.#global.transparent < 0 && entries <= this.#limit;
      const table = 3 << tableBits(entries);
      const saved = (global.size - codesSize(global.count, Math.max(MIN_BITS, tableBits(entries)))) / 8;
      if (!gainsTransparency && saved <= table) return this.#finish(rectangle, null, this.#global.transparent, global);
      const image = this.#finish(rectangle, null, this.#global.transparent, global);
      const { palette, codes } = this.#withLocal(change, rectangle, { clear, kept });
      if (packedSize(codes) + (3 << tableBits(palette.colours.length)) >= image.data.length) return image;
      return this.#finish(rectangle, palette, palette.transparent, codes);
    }
    const { palette, codes } = this.#withLocal(change, rectangle, { clear, kept });
    return this.#finish(rectangle, palette, palette.transparent, codes);
  }

  #finish(rectangle: Rectangle, local: Palette | null, transparent: number, codes: Codes): EncodedImage {
    return { rectangle, local, transparent, data: pack(codes) };
  }

  /** Counts the colours that must be written. */
  #survey({ base, target, width }: Change, { left, top, right, bottom }: Rectangle) {
    const must = this.#must;
    const counts = this.#counts;
    must.clear();
    counts.fill(0);
    let clear = false;
    let kept = false;
    let last = CLEAR;
    let number = 0;
    for (let y = top; y < bottom; y += 1) {
      for (let at = y * width + left, end = y * width + right; at < end; at += 1) {
        const colour = target[at] as number;
        if (colour === CLEAR) clear = true;
        else if (colour === base[at]) kept = true;
        else {
          if (colour !== last) {
            last = colour;
            number = must.add(colour);
          }
          counts[number] = (counts[number] as number) + 1;
        }
      }
    }
    return { clear, kept };
  }

  /** Produces codes with the global table; null when it lacks a colour. */
  #withGlobal(change: Change, rectangle: Rectangle, { clear, kept }: Requirements): Codes | null {
    const { transparent } = this.#global;
    if (clear && transparent < 0) return null;
    let highest = clear || kept ? transparent : 0;
    for (const colour of this.#must.colours.subarray(0, this.#must.size)) {
      const index = this.#globalSet.indexOf(colour);
      if (index < 0) return null;
      highest = Math.max(highest, index);
    }
    if (kept && transparent < 0) highest = this.#global.colours.length - 1;
    return this.#compress(change, rectangle, this.#globalSet, transparent, highest + 1);
  }

  #withLocal(change: Change, rectangle: Rectangle, { clear, kept }: Requirements): { palette: Palette; codes: Codes } {
    const must = this.#must;
    const byUse = [...must.colours.subarray(0, must.size).entries()]
      .sort(([one], [other]) => (this.#counts[other] as number) - (this.#counts[one] as number))
      .map(([, colour]) => colour);
    const hasClear = clear || (kept && must.size < this.#limit);
    const set = ColourSet.of(hasClear ? [CLEAR, ...byUse] : byUse);
    if (kept && !hasClear) addColours(set, change, rectangle);
    const transparent = hasClear ? 0 : -1;
    const palette = { colours: [...set.colours.subarray(0, set.size)], transparent };
    const codes = this.#compress(change, rectangle, set, transparent, set.size);
    if (!codes) throw new Error('a colour of the frame is in no table');
    return { palette, codes };
  }

  /** Produces codes for the first `entries` entries of a table; null when a colour is missing. */
  #compress(change: Change, rectangle: Rectangle, set: ColourSet, transparent: number, entries: number): Codes | null {
    const { base, target, width } = change;
    const { left, top, right, bottom } = rectangle;
    const indices = this.#indices;
    const optional = this.#optional;
    const bits = Math.max(MIN_BITS, tableBits(entries));
    let options = 0;
    let last = CLEAR;
    let index = transparent;
    let to = 0;
    for (let y = top; y < bottom; y += 1) {
      for (let at = y * width + left, end = y * width + right; at < end; at += 1) {
        const colour = target[at] as number;
        if (colour !== last) {
          last = colour;
          index = colour === CLEAR ? transparent : set.indexOf(colour);
        }
        let either = 0;
        let written = index;
        if (transparent >= 0 && colour !== CLEAR && colour === base[at]) {
          if (index < 0 || index >= 1 << bits) written = transparent;
          else either = 1;
        }
        if (written < 0) return null;
        indices[to] = written;
        optional[to] = either;
        options += either;
        to += 1;
      }
    }
    const pixels: Pixels = {
      indices,
      optional: options > 0 ? optional : null,
      length: areaOf(rectangle),
      transparent,
      bits,
    };
    const codes = this.#lossy?.encode(pixels, set.colours);
    // Of the pixels as they are now, which may have a better coding than by the phrases that changed them.
    const exact = this.#lzw.encode(pixels);
    return codes && codes.size < exact.size ? codes : exact;
  }
}

interface Requirements {
  /** Whether some pixels are transparent and stay so. */
  clear: boolean;
  /** Whether some pixels already have the wanted colour. */
  kept: boolean;
}

function addColours(set: ColourSet, { target, width }: Change, { left, top, right, bottom }: Rectangle): void {
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * width + left; at < y * width + right; at += 1) set.add(target[at] as number);
  }
}
