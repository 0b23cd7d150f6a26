/**
 * A JB2 encoder for tests. It writes every record type, and each bitmap pixel by pixel by the templates of the
 * specification.
 */
import { ZpEncoder } from './zp-encoder.ts';

/** Rows from top to bottom, `#` for black. */
export type Glyph = readonly string[];

const MAX_NUMBER = 262142;
const MIN_NUMBER = -262143;

export function isBlack(glyph: Glyph, x: number, y: number): boolean {
  return glyph[y]?.[x] === '#';
}

export class Jb2Writer {
  readonly #zp = new ZpEncoder();
  readonly #direct = new Uint8Array(1 << 10);
  readonly #refined = new Uint8Array(1 << 11);
  readonly #flags = new Uint8Array(2);
  #numbers = new Map<string, Uint8Array>();

  start(width: number, height: number): this {
    this.number('recordType', 0, 0, 11);
    this.number('imageSize', width, 0, MAX_NUMBER);
    this.number('imageSize', height, 0, MAX_NUMBER);
    this.#zp.encode(this.#flags, 0, 0);
    return this;
  }

  /** Writes a record of type 1, 2 or 3. */
  direct(type: number, glyph: Glyph): this {
    this.number('recordType', type, 0, 11);
    this.number('width', glyph[0]?.length ?? 0, 0, MAX_NUMBER);
    this.number('height', glyph.length, 0, MAX_NUMBER);
    for (const [y, row] of glyph.entries()) {
      for (const [x, pixel] of [...row].entries()) {
        const template = [
          ...[-1, 0, 1].map((step) => isBlack(glyph, x + step, y - 2)),
          ...[-2, -1, 0, 1, 2].map((step) => isBlack(glyph, x + step, y - 1)),
          ...[-2, -1].map((step) => isBlack(glyph, x + step, y)),
        ];
        this.#zp.encode(this.#direct, contextOf(template), pixel === '#' ? 1 : 0);
      }
    }
    return this;
  }

  /**
   * Writes a record of type 4, 5 or 6. `model` is the shape without its white edges; `library` is the number of shapes.
   */
  refined(type: number, glyph: Glyph, index: number, library: number, model: Glyph): this {
    const [width, height] = [glyph[0]!.length, glyph.length];
    const [modelWidth, modelHeight] = [model[0]!.length, model.length];
    this.number('recordType', type, 0, 11);
    this.number('matchIndex', index, 0, library - 1);
    this.number('widthDifference', width - modelWidth, MIN_NUMBER, MAX_NUMBER);
    this.number('heightDifference', height - modelHeight, MIN_NUMBER, MAX_NUMBER);
    // Aligns the centres. Of two middle columns the left one counts; of two middle rows the lower one.
    const moveX = Math.ceil(modelWidth / 2) - Math.ceil(width / 2);
    const moveY = Math.floor(modelHeight / 2) - Math.floor(height / 2);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const inModel = (stepX: number, stepY: number) => isBlack(model, x + moveX + stepX, y + moveY + stepY);
        const template = [
          ...[-1, 0, 1].map((step) => isBlack(glyph, x + step, y - 1)),
          isBlack(glyph, x - 1, y),
          inModel(0, -1),
          ...[-1, 0, 1].map((step) => inModel(step, 0)),
          ...[-1, 0, 1].map((step) => inModel(step, 1)),
        ];
        this.#zp.encode(this.#refined, contextOf(template), isBlack(glyph, x, y) ? 1 : 0);
      }
    }
    return this;
  }

  /** Writes a record of type 7. */
  copy(index: number, library: number): this {
    this.number('recordType', 7, 0, 11);
    this.number('matchIndex', index, 0, library - 1);
    return this;
  }

  /** Places a shape of type 1, 3, 4, 6 or 7 relative to the previous shape or to the start of the line. */
  sameLine(column: number, row: number): this {
    this.#zp.encode(this.#flags, 1, 0);
    this.number('sameLineColumn', column, MIN_NUMBER, MAX_NUMBER);
    this.number('sameLineRow', row, MIN_NUMBER, MAX_NUMBER);
    return this;
  }

  newLine(column: number, row: number): this {
    this.#zp.encode(this.#flags, 1, 1);
    this.number('newLineColumn', column, MIN_NUMBER, MAX_NUMBER);
    this.number('newLineRow', row, MIN_NUMBER, MAX_NUMBER);
    return this;
  }

  /** Writes a record of type 8. The position is that of the top left corner, counted from 1 and from the bottom. */
  nonSymbol(glyph: Glyph, column: number, row: number, width: number, height: number): this {
    this.direct(8, glyph);
    this.number('column', column, 1, width);
    this.number('row', row, 1, height);
    return this;
  }

  /** Writes a record of type 9 before the start: the number of shapes in the shared dictionary. */
  needsDictionary(size: number): this {
    this.number('recordType', 9, 0, 11);
    this.number('dictionarySize', size, 0, MAX_NUMBER);
    return this;
  }

  /** Writes a record of type 9 after the start, which resets the number coder. */
  reset(): this {
    this.number('recordType', 9, 0, 11);
    this.#numbers = new Map();
    return this;
  }

  /** Writes a record of type 10. */
  comment(text: string): this {
    this.number('recordType', 10, 0, 11);
    this.number('commentLength', text.length, 0, MAX_NUMBER);
    for (const character of text) this.number('commentByte', character.charCodeAt(0), 0, 255);
    return this;
  }

  /** Writes a record of type 11. */
  end(): Uint8Array {
    this.number('recordType', 11, 0, 11);
    return this.cut();
  }

  /** Returns the data so far, without an end record. */
  cut(): Uint8Array {
    return this.#zp.finish();
  }

  /**
   * Encodes a number as a path through a binary tree: its sign, the range of its absolute value, its offset in the
   * range.
   */
  number(kind: string, value: number, least: number, most: number): void {
    const isNegative = value < 0;
    const size = isNegative ? -value - 1 : value;
    const low = Math.max(0, isNegative ? -most - 1 : least);
    const high = isNegative ? -least - 1 : most;
    if (least < 0 && most >= 0) this.#decide(`${kind} sign`, isNegative ? 0 : 1);
    const path = `${kind} ${isNegative}`;
    let [from, length] = [0, 1];
    for (;;) {
      const next = from + length;
      if (high < next) break;
      if (low < next) this.#decide(`${path} from ${from}`, size >= next ? 1 : 0);
      if (size < next) break;
      from = next;
      length *= 2;
    }
    let range = `${path} in ${from}`;
    while (length > 1) {
      length /= 2;
      const isUpper = size >= from + length;
      if (low < from + length && high >= from + length) this.#decide(range, isUpper ? 1 : 0);
      range += isUpper ? '1' : '0';
      if (isUpper) from += length;
    }
  }

  #decide(node: string, bit: number): void {
    let context = this.#numbers.get(node);
    if (!context) {
      context = new Uint8Array(1);
      this.#numbers.set(node, context);
    }
    this.#zp.encode(context, 0, bit);
  }
}

function contextOf(template: readonly boolean[]): number {
  return template.reduce((context, black) => context * 2 + (black ? 1 : 0), 0);
}
