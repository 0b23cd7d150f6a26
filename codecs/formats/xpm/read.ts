/**
 * Reads X pixmaps of the three versions (Arnaud Le Hors, "XPM Manual", 1996, Groupe Bull; XPM 1 as in its appendix).
 */
import type { Bitmap } from '../../bitmap.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { latin1 } from '../../metadata/bytes.ts';
import { readXpmColour } from './colour.ts';
import { linesOf, quotedStrings, type TextRange } from './text.ts';

/** Maximum characters per pixel, more than any real file has. A hostile one could have keys as long as itself. */
const MAX_KEY_LENGTH = 16;
/** Maximum colours. A photograph may have one for each pixel, but a hostile file could fill the memory with keys. */
const MAX_COLOURS = 1_000_000;
const START_BYTES = 1024;
const TRANSPARENT = -1;
const BLACK = 0;

interface XpmHeader extends StillHeader {
  /** Characters of a pixel. */
  keyLength: number;
  /** 0xRRGGBB of each key, or {@link TRANSPARENT}. */
  colours: ReadonlyMap<string, number>;
  /** The strings behind the colours, one for each row. */
  rows: Iterator<TextRange>;
}

type Version = 1 | 2 | 3;

/** Safe on the main thread. */
export const isXpm = (bytes: Uint8Array): boolean => versionOf(bytes) !== undefined;

function versionOf(bytes: Uint8Array): Version | undefined {
  const start = latin1(bytes.subarray(0, START_BYTES)).trimStart();
  if (/^\/\*\s*XPM\s*\*\//.test(start)) return 3;
  if (/^!\s*XPM2\b/.test(start)) return 2;
  return /^#define\s+\w+_format\s+1\s/m.test(start) ? 1 : undefined;
}

function readHeader(bytes: Uint8Array): XpmHeader | undefined {
  const version = versionOf(bytes);
  if (version === undefined) return undefined;
  return version === 1
    ? readFirstVersion(bytes)
    : readValues(bytes, version === 2 ? linesOf(bytes) : quotedStrings(bytes, 0));
}

/**
 * Reads width, height, number of colours and characters per pixel from the first string, then the colours. The rows
 * follow.
 */
function readValues(bytes: Uint8Array, strings: Iterator<TextRange>): XpmHeader | undefined {
  const values = /^\s*(\d{1,6})\s+(\d{1,6})\s+(\d{1,8})\s+(\d{1,2})\b/.exec(textOf(bytes, strings.next().value));
  if (!values) return undefined;
  const [width, height, count, keyLength] = values.slice(1).map(Number) as [number, number, number, number];
  if (count === 0 || count > MAX_COLOURS || keyLength === 0 || keyLength > MAX_KEY_LENGTH) return undefined;
  const colours = new Map<string, number>();
  for (let colour = 0; colour < count; colour++) {
    const { value, done } = strings.next();
    if (done) return undefined;
    const line = textOf(bytes, value);
    colours.set(line.slice(0, keyLength), readXpmColour(line.slice(keyLength)) ?? BLACK);
  }
  return headerOf(width, height, keyLength, colours, strings);
}

/** Reads version 1: the numbers are definitions, one array alternates keys and colours, another one holds the rows. */
function readFirstVersion(bytes: Uint8Array): XpmHeader | undefined {
  const text = latin1(bytes);
  const number = (name: string) =>
    Number(new RegExp(`^#define[ \\t]+\\w+_${name}[ \\t]+(\\d{1,6})\\b`, 'm').exec(text)?.[1] ?? 0);
  const keyLength = number('chars_per_pixel');
  const count = number('ncolors');
  const coloursAt = text.search(/\w_colors\s*\[/);
  const rowsAt = text.search(/\w_pixels\s*\[/);
  if (keyLength === 0 || keyLength > MAX_KEY_LENGTH || count === 0 || coloursAt < 0 || rowsAt < 0) return undefined;
  const strings = quotedStrings(bytes, coloursAt);
  const colours = new Map<string, number>();
  for (let colour = 0; colour < count; colour++) {
    const key = textOf(bytes, strings.next().value);
    colours.set(key, readXpmColour(`c ${textOf(bytes, strings.next().value)}`) ?? BLACK);
  }
  return headerOf(number('width'), number('height'), keyLength, colours, quotedStrings(bytes, rowsAt));
}

function headerOf(
  width: number,
  height: number,
  keyLength: number,
  colours: ReadonlyMap<string, number>,
  rows: Iterator<TextRange>,
): XpmHeader {
  const hasAlpha = [...colours.values()].includes(TRANSPARENT);
  return { width, height, hasAlpha, keyLength, colours, rows };
}

/** Returns '' for a missing string. */
const textOf = (bytes: Uint8Array, range: TextRange | undefined): string =>
  range ? latin1(bytes.subarray(range.start, range.end)) : '';

/** Returns the colour of the key at an offset; undefined for an unknown key. */
type KeyReader = (at: number) => number | undefined;

function readPixels(
  bytes: Uint8Array,
  { width, height, hasAlpha, keyLength, colours, rows }: XpmHeader,
): Bitmap | undefined {
  const channels = hasAlpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  const colourAt = keyReader(bytes, keyLength, colours);
  let truncated = false;
  for (let y = 0, write = 0; y < height; y++) {
    const { value: row, done } = rows.next();
    if (done) {
      if (y === 0) return undefined;
      truncated = true;
      break;
    }
    const present = Math.min(width, Math.floor((row.end - row.start) / keyLength));
    if (present < width) truncated = true;
    for (let x = 0, read = row.start; x < present; x++, read += keyLength, write += channels) {
      const colour = colourAt(read);
      if (colour === undefined) truncated = true;
      else if (colour !== TRANSPARENT) {
        data[write] = colour >> 16;
        data[write + 1] = colour >> 8;
        data[write + 2] = colour;
        if (hasAlpha) data[write + 3] = 255;
      }
    }
    write += (width - present) * channels;
  }
  return { data, width, height, channels, truncated };
}

/** Reads keys. Those of one and two characters, which nearly all files have, are looked up without creating strings. */
function keyReader(bytes: Uint8Array, keyLength: number, colours: ReadonlyMap<string, number>): KeyReader {
  if (keyLength > 2) return (at) => colours.get(latin1(bytes.subarray(at, at + keyLength)));
  const table: (number | undefined)[] = new Array(256 ** keyLength).fill(undefined);
  for (const [key, colour] of colours) {
    if (key.length === keyLength)
      table[keyLength === 1 ? key.charCodeAt(0) : key.charCodeAt(0) * 256 + key.charCodeAt(1)] = colour;
  }
  return keyLength === 1 ? (at) => table[bytes[at]!] : (at) => table[bytes[at]! * 256 + bytes[at + 1]!];
}

export const still = stillFormat({ readHeader, readPixels });
