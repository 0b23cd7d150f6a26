/** Decodes the bitmaps of JB2 pixel by pixel (DjVu 3 Specification, 2005, sections 11.5.9 and 11.5.10). */
import { createMask, type Mask } from './mask.ts';
import type { ZpDecoder } from './zp.ts';

/** Index of column 0 in a row buffer. The margins that the templates read on either side of a row are white. */
const FIRST = 2;
const MARGINS = 5;

const DIRECT_CONTEXTS = 1 << 10;
/** The context bits that stay in their row when the template moves one pixel to the right and they move one bit up. */
const DIRECT_KEPT = 0b11_0111_1010;
const REFINED_CONTEXTS = 1 << 11;
const REFINED_KEPT = 0b110_0011_0110;

export class BitmapDecoder {
  readonly #zp: ZpDecoder;
  readonly #direct = new Uint8Array(DIRECT_CONTEXTS);
  readonly #refined = new Uint8Array(REFINED_CONTEXTS);

  constructor(zp: ZpDecoder) {
    this.#zp = zp;
  }

  /**
   * Decodes an independent bitmap. Each pixel's context is three pixels two rows above it, five of the row above and
   * two of its own.
   * @returns undefined when the data end before the bitmap does
   */
  decodeDirect(width: number, height: number): Mask | undefined {
    const bitmap = createMask(width, height);
    if (bitmap.words.length === 0) return bitmap;
    const zp = this.#zp;
    const contexts = this.#direct;
    let second = new Uint8Array(width + MARGINS);
    let first = new Uint8Array(width + MARGINS);
    let row = new Uint8Array(width + MARGINS);
    for (let y = 0; y < height; y++) {
      if (zp.starved) return undefined;
      let context = (second[FIRST]! << 8) | (second[FIRST + 1]! << 7);
      context |= (first[FIRST]! << 4) | (first[FIRST + 1]! << 3) | (first[FIRST + 2]! << 2);
      for (let at = FIRST; at < width + FIRST; at++) {
        const pixel = zp.decode(contexts, context);
        row[at] = pixel;
        context = ((context << 1) & DIRECT_KEPT) | (second[at + 2]! << 7) | (first[at + 3]! << 2) | pixel;
      }
      packRow(bitmap, y, row);
      const spare = second;
      second = first;
      first = row;
      row = spare;
    }
    return bitmap;
  }

  /**
   * Decodes a bitmap coded by its differences from another one. Each pixel's context is three pixels of the row above
   * it and one before it, and seven of the other bitmap around the same position, with the centres of the two aligned.
   * @returns undefined when the data end before the bitmap does
   */
  decodeRefined(width: number, height: number, model: Mask): Mask | undefined {
    const bitmap = createMask(width, height);
    if (bitmap.words.length === 0) return bitmap;
    const zp = this.#zp;
    const contexts = this.#refined;
    const moveX = centre(model.width) - centre(width);
    // The central row of an even number is the lower one; rows are counted from the top here.
    const moveY = model.height - 1 - centre(model.height) - (height - 1 - centre(height));
    let above = new Uint8Array(width + MARGINS);
    let row = new Uint8Array(width + MARGINS);
    let modelAbove = unpackRow(model, moveY - 1, moveX, new Uint8Array(width + MARGINS));
    let modelRow = unpackRow(model, moveY, moveX, new Uint8Array(width + MARGINS));
    let modelBelow = new Uint8Array(width + MARGINS);
    for (let y = 0; y < height; y++) {
      if (zp.starved) return undefined;
      unpackRow(model, y + moveY + 1, moveX, modelBelow);
      let context = (above[FIRST]! << 9) | (above[FIRST + 1]! << 8) | (modelAbove[FIRST]! << 6);
      context |= (modelRow[FIRST - 1]! << 5) | (modelRow[FIRST]! << 4) | (modelRow[FIRST + 1]! << 3);
      context |= (modelBelow[FIRST - 1]! << 2) | (modelBelow[FIRST]! << 1) | modelBelow[FIRST + 1]!;
      for (let at = FIRST; at < width + FIRST; at++) {
        const pixel = zp.decode(contexts, context);
        row[at] = pixel;
        context =
          ((context << 1) & REFINED_KEPT) |
          (above[at + 2]! << 8) |
          (pixel << 7) |
          (modelAbove[at + 1]! << 6) |
          (modelRow[at + 2]! << 3) |
          modelBelow[at + 2]!;
      }
      packRow(bitmap, y, row);
      [above, row] = [row, above];
      [modelAbove, modelRow, modelBelow] = [modelRow, modelBelow, modelAbove];
    }
    return bitmap;
  }
}

/** Returns the central one of `count` rows or columns; of two, the first. */
const centre = (count: number): number => (count - 1) >> 1;

function packRow({ width, stride, words }: Mask, y: number, row: Uint8Array): void {
  let word = 0;
  for (let x = 0; x < width; x++) {
    word |= row[x + FIRST]! << (x & 31);
    if ((x & 31) === 31 || x === width - 1) {
      words[y * stride + (x >> 5)] = word;
      word = 0;
    }
  }
}

/** Unpacks row `y` of a bitmap from column `moveX` on, with the margins that the templates read. */
function unpackRow<Row extends Uint8Array>(
  { width, height, stride, words }: Mask,
  y: number,
  moveX: number,
  row: Row,
): Row {
  row.fill(0);
  if (y < 0 || y >= height) return row;
  const end = Math.min(row.length, width - moveX + FIRST);
  for (let at = Math.max(0, FIRST - moveX); at < end; at++) {
    const x = at - FIRST + moveX;
    row[at] = (words[y * stride + (x >> 5)]! >>> (x & 31)) & 1;
  }
  return row;
}
