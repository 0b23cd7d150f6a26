/** Reads sixel graphics (DEC VT330/VT340 Programmer Reference Manual, volume 2, chapter 14). */
import type { Bitmap } from '../../bitmap.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';

interface SixelHeader extends StillHeader {
  /** Offset of the colours, positions and sixels. */
  at: number;
}

const ESCAPE = 0x1b;
const DEVICE_CONTROL = 0x90;
const STRING_END = 0x9c;
const [QUOTE, HASH, REPEAT, RETURN, NEW_LINE] = [0x22, 0x23, 0x21, 0x24, 0x2d];
const [FIRST_SIXEL, LAST_SIXEL] = [0x3f, 0x7e];
const SIXEL_ROWS = 6;
/** Unpainted pixels keep the previous screen content, so they are transparent. */
const KEEP_BACKGROUND = 1;
const MAX_INTRODUCER_BYTES = 64;
/** Larger than any screen; keeps sums exact. */
const MAX_SIDE = 1_000_000;
const MAX_COLOURS = 1_024;
const HLS = 1;

/** The initial colours of a terminal (table 2-3), in percent. */
const PALETTE = [
  [0, 0, 0],
  [20, 20, 80],
  [80, 13, 13],
  [20, 80, 20],
  [80, 20, 80],
  [20, 80, 80],
  [80, 80, 20],
  [53, 53, 53],
  [26, 26, 26],
  [33, 33, 60],
  [60, 26, 26],
  [33, 60, 33],
  [60, 33, 60],
  [33, 60, 60],
  [60, 60, 33],
  [80, 80, 80],
];

interface Painter {
  colour(index: number, definition: readonly number[]): void;
  /** Paints one column of six pixels, the highest bit lowest, repeated. */
  sixel(x: number, y: number, bits: number, repeat: number, colour: number): void;
}

function readHeader(bytes: Uint8Array): SixelHeader | undefined {
  const start = bytes[0] === ESCAPE && bytes[1] === 0x50 ? 2 : bytes[0] === DEVICE_CONTROL ? 1 : undefined;
  if (start === undefined) return undefined;
  const introducer = numbersAt(bytes, start, MAX_INTRODUCER_BYTES);
  if (bytes[introducer.end] !== 0x71) return undefined;
  const at = introducer.end + 1;
  const hasAlpha = introducer.numbers[1] === KEEP_BACKGROUND;
  if (bytes[at] === QUOTE) {
    const [, , width = 0, height = 0] = numbersAt(bytes, at + 1).numbers;
    if (width > 0 && height > 0) return { width, height, at, hasAlpha };
  }
  let [width, height] = [0, 0];
  interpret(bytes, at, {
    colour: () => {},
    sixel: (x, y, bits, repeat) => {
      width = Math.max(width, x + repeat);
      height = Math.max(height, y + 32 - Math.clz32(bits));
    },
  });
  return { width, height, at, hasAlpha };
}

/** Reads decimal numbers separated by semicolons. */
function numbersAt(bytes: Uint8Array, from: number, longest = bytes.length) {
  const numbers: number[] = [];
  let [at, value] = [from, 0];
  for (const end = Math.min(bytes.length, from + longest); at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit >= 0 && digit <= 9) value = Math.min(MAX_SIDE, value * 10 + digit);
    else if (bytes[at] === 0x3b && numbers.length < 8) {
      numbers.push(value);
      value = 0;
    } else break;
  }
  numbers.push(value);
  return { numbers, end: at };
}

/** Interprets the data. Returns whether the string was terminated. */
function interpret(bytes: Uint8Array, from: number, painter: Painter): boolean {
  let [x, y, colour, repeat] = [0, 0, 0, 1];
  for (let at = from; at < bytes.length; at++) {
    const code = bytes[at]!;
    if (code === ESCAPE || code === STRING_END) return true;
    if (code >= FIRST_SIXEL && code <= LAST_SIXEL) {
      if (code > FIRST_SIXEL) painter.sixel(x, y, code - FIRST_SIXEL, repeat, colour);
      x = Math.min(MAX_SIDE, x + repeat);
      repeat = 1;
    } else if (code === RETURN || code === NEW_LINE) {
      x = 0;
      if (code === NEW_LINE) y = Math.min(MAX_SIDE, y + SIXEL_ROWS);
    } else if (code === REPEAT || code === HASH || code === QUOTE) {
      const { numbers, end } = numbersAt(bytes, at + 1);
      at = end - 1;
      if (code === REPEAT) repeat = Math.max(1, numbers[0]!);
      if (code === HASH) {
        colour = numbers[0]! % MAX_COLOURS;
        if (numbers.length >= 5) painter.colour(colour, numbers.slice(1));
      }
    }
  }
  return false;
}

function readPixels(bytes: Uint8Array, { width, height, at, hasAlpha = false }: SixelHeader): Bitmap | undefined {
  const channels = hasAlpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  const palette = new Uint8Array(MAX_COLOURS * 3);
  for (const [index, colour] of PALETTE.entries()) palette.set(colour.map(fromPercent), index * 3);
  if (!hasAlpha) fillBackground(data, palette);
  const whole = interpret(bytes, at, {
    colour: (index, [space, ...values]) =>
      palette.set(space === HLS ? fromHls(values) : values.slice(0, 3).map(fromPercent), index * 3),
    sixel: (x, y, bits, repeat, colour) => {
      const end = Math.min(width, x + repeat);
      for (let row = 0; row < SIXEL_ROWS && y + row < height; row++) {
        if (((bits >> row) & 1) === 0) continue;
        for (let column = x, to = ((y + row) * width + x) * channels; column < end; column++, to += channels) {
          data[to] = palette[colour * 3]!;
          data[to + 1] = palette[colour * 3 + 1]!;
          data[to + 2] = palette[colour * 3 + 2]!;
          if (hasAlpha) data[to + 3] = 255;
        }
      }
    },
  });
  return { data, width, height, channels, truncated: !whole };
}

function fillBackground(data: Uint8Array, palette: Uint8Array): void {
  for (let at = 0; at < data.length; at++) data[at] = palette[at % 3]!;
}

const fromPercent = (value: number): number => Math.round((Math.min(100, value) * 255) / 100);

/** Converts hue in degrees from blue, lightness and saturation in percent. */
function fromHls([hue = 0, lightness = 0, saturation = 0]: readonly number[]): number[] {
  const light = Math.min(100, lightness) / 100;
  const chroma = (1 - Math.abs(2 * light - 1)) * (Math.min(100, saturation) / 100);
  // Blue is 0 degrees here, red 120.
  return [240, 120, 0].map((offset) => {
    const sector = ((hue + offset) % 360) / 60;
    const share = Math.max(0, Math.min(1, Math.abs(sector - 3) - 1));
    return Math.round((light - chroma / 2 + chroma * share) * 255);
  });
}

export const still = stillFormat({ readHeader, readPixels });
