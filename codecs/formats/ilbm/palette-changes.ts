/**
 * Reads palettes that change from line to line: CTBL and SHAM ("CTBL and SHAM: dynamic color tables", NewTek) and PCHG
 * (S. Vigna, "The PCHG ILBM chunk", 1.2).
 */
import { Reader } from '../../metadata/bytes.ts';
import type { IffImage } from './chunks.ts';
import { NAME } from './header.ts';
import { expandHuffman } from './pchg-huffman.ts';

/** Changes the palette before a line is drawn. @returns whether anything changed */
export type LineChange = (line: number, rgb: Uint8Array) => boolean;

/** @returns undefined when all lines have the same palette */
export function readChanges({ chunks }: IffImage, height: number): LineChange | undefined {
  const pchg = chunks.get('PCHG');
  if (pchg) return readPchg(new Reader(pchg.data, NAME));
  const sham = chunks.get('SHAM');
  if (sham) return readTables(sham.data.subarray(2), height);
  const tables = chunks.get('CTBL') ?? chunks.get('BEAM');
  return tables && readTables(tables.data, height);
}

const TABLE_COLOURS = 16;
const TABLE_BYTES = TABLE_COLOURS * 2;

/** Reads one table of 16 colours per line, or per two lines in interlaced images. */
function readTables(data: Uint8Array, height: number): LineChange | undefined {
  const tables = Math.floor(data.length / TABLE_BYTES);
  if (tables === 0) return undefined;
  const linesPerTable = Math.max(1, Math.round(height / tables));
  return (line, rgb) => {
    const table = line / linesPerTable;
    if (table >= tables || !Number.isInteger(table)) return false;
    for (let colour = 0; colour < TABLE_COLOURS; colour++) {
      const at = table * TABLE_BYTES + colour * 2;
      setShort(rgb, colour, (data[at]! << 8) | data[at + 1]!);
    }
    return true;
  };
}

/** Sets a colour from 0x0RGB. */
function setShort(rgb: Uint8Array, colour: number, value: number): void {
  rgb[colour * 3] = ((value >> 8) & 0x0f) * 17;
  rgb[colour * 3 + 1] = ((value >> 4) & 0x0f) * 17;
  rgb[colour * 3 + 2] = (value & 0x0f) * 17;
}

const PCHG_HEADER_BYTES = 20;
const HUFFMAN = 1;
const SHORT_COLOURS = 1;
const MAX_COLOURS = 256;

function readPchg(reader: Reader): LineChange {
  const shortColours = (reader.u16(2) & SHORT_COLOURS) !== 0;
  const startLine = (reader.u16(4) << 16) >> 16;
  const lines = reader.u16(6);
  const packed = reader.slice(PCHG_HEADER_BYTES, reader.length - PCHG_HEADER_BYTES);
  const data = reader.u16(0) === HUFFMAN ? expandHuffman(packed) : packed;
  const maskBytes = Math.ceil(lines / 32) * 4;
  const starts = findLines(data, lines, maskBytes, shortColours);

  let next = 0;
  return (line, rgb) => {
    const first = next;
    // Changes in front of the first line are part of its palette.
    for (; next < lines && startLine + next <= line; next++) {
      const at = starts[next]!;
      if (at > 0 && shortColours) applyShort(data, at, rgb);
      else if (at > 0) applyLong(data, at, rgb);
    }
    return next > first;
  };
}

/** Returns the offset of each line's changes; 0 for lines without any. Truncated changes are ignored. */
function findLines(data: Uint8Array, lines: number, maskBytes: number, shortColours: boolean): Uint32Array {
  const starts = new Uint32Array(lines);
  for (let line = 0, at = maskBytes; line < lines; line++) {
    if (((data[line >> 3] ?? 0) & (0x80 >> (line & 7))) === 0) continue;
    if (at + 2 > data.length) break;
    const size = shortColours ? (data[at]! + data[at + 1]!) * 2 : ((data[at]! << 8) | data[at + 1]!) * 6;
    if (at + 2 + size > data.length) break;
    starts[line] = at;
    at += 2 + size;
  }
  return starts;
}

/**
 * Applies changes of four index bits and twelve colour bits: first those of the lower 16 colours, then those of the
 * upper 16.
 */
function applyShort(data: Uint8Array, at: number, rgb: Uint8Array): void {
  const lower = data[at]!;
  const count = lower + data[at + 1]!;
  for (let i = 0; i < count; i++) {
    const value = (data[at + 2 + i * 2]! << 8) | data[at + 3 + i * 2]!;
    setShort(rgb, (value >> 12) + (i < lower ? 0 : 16), value);
  }
}

/** Applies changes in the order index, alpha, red, blue, green. */
function applyLong(data: Uint8Array, at: number, rgb: Uint8Array): void {
  const count = (data[at]! << 8) | data[at + 1]!;
  for (let i = 0; i < count; i++) {
    const change = at + 2 + i * 6;
    const colour = (data[change]! << 8) | data[change + 1]!;
    if (colour >= MAX_COLOURS) continue;
    rgb[colour * 3] = data[change + 3]!;
    rgb[colour * 3 + 1] = data[change + 5]!;
    rgb[colour * 3 + 2] = data[change + 4]!;
  }
}
