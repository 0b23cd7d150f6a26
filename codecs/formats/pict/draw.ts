/** Draws the opcodes of a Macintosh PICT. Text and clipping regions are ignored. */
import type { Reader } from '../../metadata/bytes.ts';
import { Canvas, type Outline, type Paint } from './canvas.ts';
import { DITHERED_PATTERN, isPixels } from './picture.ts';
import { type PixelMap, readPixelMap, readRows } from './pixels.ts';
import { type Rect, readRect, signed } from './rect.ts';
import {
  arcPoints,
  lineOutline,
  ovalOutline,
  type Point,
  readPolygon,
  readRegion,
  rectOutline,
  roundRectOutline,
  wedgeOutline,
} from './shapes.ts';

const BLACK = 0x000000;
const WHITE = 0xffffff;
const SOLID: Uint8Array = new Uint8Array(8).fill(0xff);

/**
 * The eight colours of the original QuickDraw (Apple, "Inside Macintosh", volume I, "Drawing in Color"), in the shades
 * of Color QuickDraw.
 */
const OLD_COLOURS: Readonly<Record<number, number>> = {
  33: BLACK,
  30: WHITE,
  205: 0xdd0806,
  341: 0x008011,
  409: 0x0000d4,
  273: 0x02abea,
  137: 0xf20884,
  69: 0xfcf305,
};

const FRAME = 0;
const PAINT = 1;
const ERASE = 2;
const INVERT = 3;

const RECT = 3;
const ROUND_RECT = 4;
const OVAL = 5;
const ARC = 6;
const POLYGON = 7;
const REGION = 8;

const EMPTY: Rect = { top: 0, left: 0, bottom: 0, right: 0 };

export class PictDrawing {
  readonly canvas: Canvas;
  readonly #reader: Reader;
  readonly #origin: Point;
  #foreground = BLACK;
  #background = WHITE;
  #penPattern = SOLID;
  #fillPattern = SOLID;
  #backPattern: Uint8Array = new Uint8Array(8);
  #penMode = 8;
  #penSize: Point = { x: 1, y: 1 };
  #pen: Point = { x: 0, y: 0 };
  #ovalSize: Point = { x: 0, y: 0 };
  #rect = EMPTY;
  #polygon: number[] = [];
  #regionAt = 0;

  /** @param space the part of the drawing's coordinates that is on the canvas */
  constructor(reader: Reader, space: Rect, width: number, height: number) {
    this.#reader = reader;
    this.#origin = { x: space.left, y: space.top };
    const scale = { x: width / (space.right - space.left), y: height / (space.bottom - space.top) };
    this.canvas = new Canvas(width, height, scale);
  }

  draw(opcode: number, at: number): void {
    const reader = this.#reader;
    if (opcode >= 0x30 && opcode < 0x90) this.#shape(opcode >> 4, opcode & 7, (opcode & 8) !== 0, at);
    else if (isPixels(opcode)) this.#pixels(readPixelMap(reader, opcode, at));
    else if (opcode >= 0x20 && opcode < 0x24) this.#line(opcode, at);
    else this.#state(opcode, at);
  }

  #state(opcode: number, at: number): void {
    const reader = this.#reader;
    switch (opcode) {
      case 0x02:
        this.#backPattern = reader.slice(at, 8);
        break;
      case 0x07:
        this.#penSize = { y: signed(reader.u16(at)), x: signed(reader.u16(at + 2)) };
        break;
      case 0x08:
        this.#penMode = reader.u16(at);
        break;
      case 0x09:
        this.#penPattern = reader.slice(at, 8);
        break;
      case 0x0a:
        this.#fillPattern = reader.slice(at, 8);
        break;
      case 0x0b:
        this.#ovalSize = { y: signed(reader.u16(at)), x: signed(reader.u16(at + 2)) };
        break;
      case 0x0e:
        this.#foreground = OLD_COLOURS[reader.u32(at)] ?? BLACK;
        break;
      case 0x0f:
        this.#background = OLD_COLOURS[reader.u32(at)] ?? WHITE;
        break;
      case 0x12:
        this.#backPattern = this.#pixelPattern(at, 'background');
        break;
      case 0x13:
        this.#penPattern = this.#pixelPattern(at, 'foreground');
        break;
      case 0x14:
        this.#fillPattern = this.#pixelPattern(at, 'foreground');
        break;
      case 0x1a:
        this.#foreground = readColour(reader, at);
        break;
      case 0x1b:
        this.#background = readColour(reader, at);
        break;
    }
  }

  /** Reads a pattern: sets the colour of one with a single colour, or returns the black and white form of any other. */
  #pixelPattern(at: number, which: 'foreground' | 'background'): Uint8Array {
    const reader = this.#reader;
    if (reader.u16(at) !== DITHERED_PATTERN) return new Uint8Array(reader.slice(at + 2, 8));
    if (which === 'foreground') this.#foreground = readColour(reader, at + 10);
    else this.#background = readColour(reader, at + 10);
    return which === 'foreground' ? SOLID : new Uint8Array(8);
  }

  #x(x: number): number {
    return (x - this.#origin.x) * this.canvas.scale.x;
  }

  #y(y: number): number {
    return (y - this.#origin.y) * this.canvas.scale.y;
  }

  #fill(outlines: readonly Outline[], paint: Paint): void {
    this.canvas.fill(
      outlines.map((outline) => outline.map((value, at) => (at & 1 ? this.#y(value) : this.#x(value)))),
      paint,
    );
  }

  #paint(verb: number): Paint {
    const pattern = verb === ERASE ? this.#backPattern : verb <= PAINT ? this.#penPattern : this.#fillPattern;
    const mode = verb === INVERT ? 'invert' : verb <= PAINT ? transferMode(this.#penMode) : 'copy';
    return {
      pattern: verb === INVERT ? SOLID : pattern,
      mode,
      foreground: this.#foreground,
      background: this.#background,
    };
  }

  #line(opcode: number, at: number): void {
    const reader = this.#reader;
    const from = opcode & 1 ? this.#pen : { y: signed(reader.u16(at)), x: signed(reader.u16(at + 2)) };
    const endAt = opcode & 1 ? at : at + 4;
    const to =
      opcode < 0x22
        ? { y: signed(reader.u16(endAt)), x: signed(reader.u16(endAt + 2)) }
        : { x: from.x + ((reader.u8(endAt) << 24) >> 24), y: from.y + ((reader.u8(endAt + 1) << 24) >> 24) };
    this.#pen = to;
    this.#fill([lineOutline(from, to, this.#penSize)], this.#paint(FRAME));
  }

  #shape(kind: number, verb: number, same: boolean, at: number): void {
    const reader = this.#reader;
    if (kind === POLYGON) {
      if (!same) this.#polygon = readPolygon(reader, at);
      this.#drawPolygon(verb);
      return;
    }
    if (kind === REGION) {
      if (!same) this.#regionAt = at;
      this.#drawRegion(verb);
      return;
    }
    if (!same) this.#rect = readRect(reader, at);
    const rect = this.#rect;
    const paint = this.#paint(verb);
    const { x, y } = this.#penSize;
    const inner = { left: rect.left + x, top: rect.top + y, right: rect.right - x, bottom: rect.bottom - y };
    const framed = verb === FRAME && inner.left < inner.right && inner.top < inner.bottom;
    if (kind === RECT && !framed) {
      this.canvas.fillRect(this.#x(rect.left), this.#y(rect.top), this.#x(rect.right), this.#y(rect.bottom), paint);
    } else if (kind === RECT) {
      this.#fill([rectOutline(rect), rectOutline(inner)], paint);
    } else if (kind === ROUND_RECT) {
      const oval = this.#ovalSize;
      const hole = { x: oval.x - 2 * x, y: oval.y - 2 * y };
      this.#fill([roundRectOutline(rect, oval), ...(framed ? [roundRectOutline(inner, hole)] : [])], paint);
    } else if (kind === OVAL) {
      this.#fill([ovalOutline(rect), ...(framed ? [ovalOutline(inner)] : [])], paint);
    } else if (kind === ARC) {
      const anglesAt = same ? at : at + 8;
      const start = signed(reader.u16(anglesAt));
      const sweep = Math.max(-360, Math.min(360, signed(reader.u16(anglesAt + 2))));
      if (framed) {
        this.#fill([[...arcPoints(rect, start, sweep), ...arcPoints(inner, start + sweep, -sweep)]], paint);
      } else {
        this.#fill([wedgeOutline(rect, start, sweep)], paint);
      }
    }
  }

  #drawPolygon(verb: number): void {
    const points = this.#polygon;
    const paint = this.#paint(verb);
    if (verb !== FRAME) {
      this.#fill([points], paint);
      return;
    }
    for (let at = 0; at + 3 < points.length; at += 2) {
      const from = { x: points[at]!, y: points[at + 1]! };
      const to = { x: points[at + 2]!, y: points[at + 3]! };
      this.#fill([lineOutline(from, to, this.#penSize)], paint);
    }
  }

  /** Draws a region, except for its frame, which no program produces. */
  #drawRegion(verb: number): void {
    if (verb === FRAME || this.#regionAt === 0 || !this.canvas.afford(this.#reader.u16(this.#regionAt))) return;
    const paint = this.#paint(verb);
    const bounds = readRect(this.#reader, this.#regionAt + 2);
    for (const { left, top, right, bottom } of readRegion(this.#reader, this.#regionAt, bounds)) {
      if (!this.canvas.afford(1)) return;
      this.canvas.fillRect(this.#x(left), this.#y(top), this.#x(right), this.#y(bottom), paint);
    }
  }

  /** Draws a pixel map. Each pixel of the canvas takes the nearest one of the source. */
  #pixels(map: PixelMap | undefined): void {
    if (!map) return;
    const { canvas } = this;
    const { source, target, bounds } = map;
    const left = Math.round(this.#x(target.left));
    const right = Math.round(this.#x(target.right));
    const top = Math.round(this.#y(target.top));
    const bottom = Math.round(this.#y(target.bottom));
    const firstX = Math.max(0, left);
    const endX = Math.min(canvas.width, right);
    const sourceWidth = source.right - source.left;
    const sourceHeight = source.bottom - source.top;
    if (firstX >= endX || sourceWidth <= 0 || sourceHeight <= 0) return;
    const width = bounds.right - bounds.left;
    if (!canvas.afford((bounds.bottom - bounds.top) * width)) return;

    const columns = Int32Array.from({ length: endX - firstX }, (_, index) => {
      const x = source.left - bounds.left + Math.floor(((firstX + index - left + 0.5) * sourceWidth) / (right - left));
      return x >= 0 && x < width ? x * 4 : -1;
    });
    const colours = Uint8Array.from(
      [this.#background, this.#foreground].flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]),
    );
    // A bitmap drawn with `or` skips background pixels.
    const skipped = map.palette === undefined && map.bits === 1 && map.mode === 1 ? this.#background : -1;
    const rows = readRows(this.#reader, map, colours);
    let have = -1;
    let row: Uint8Array | undefined;
    for (let y = Math.max(0, top); y < Math.min(canvas.height, bottom); y++) {
      const wanted = source.top - bounds.top + Math.floor(((y - top + 0.5) * sourceHeight) / (bottom - top));
      if (wanted < 0) continue;
      while (have < wanted) {
        row = rows.next().value;
        have++;
        if (!row) return;
      }
      if (!row || !canvas.afford(columns.length)) return;
      putRow(row, columns, skipped, canvas.rgba, (y * canvas.width + firstX) * 4);
    }
  }
}

function putRow(row: Uint8Array, columns: Int32Array, skipped: number, rgba: Uint8Array, at: number): void {
  for (let index = 0, write = at; index < columns.length; index++, write += 4) {
    const read = columns[index]!;
    if (read < 0) continue;
    const red = row[read]!;
    const green = row[read + 1]!;
    const blue = row[read + 2]!;
    if (((red << 16) | (green << 8) | blue) === skipped) continue;
    rgba[write] = red;
    rgba[write + 1] = green;
    rgba[write + 2] = blue;
    rgba[write + 3] = row[read + 3]!;
  }
}

const readColour = (reader: Reader, at: number): number =>
  (reader.u8(at) << 16) | (reader.u8(at + 2) << 8) | reader.u8(at + 4);

/**
 * Reduces the sixteen modes to four; each exists for sources and patterns, upright and inverted. Arithmetic modes
 * mostly copy.
 */
function transferMode(mode: number): Paint['mode'] {
  switch (mode & 3) {
    case 1:
      return mode < 16 ? 'or' : 'copy';
    case 2:
      return mode < 16 ? 'invert' : 'copy';
    case 3:
      return mode < 16 ? 'erase' : 'copy';
    default:
      return 'copy';
  }
}
