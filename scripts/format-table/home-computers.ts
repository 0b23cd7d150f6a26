/**
 * Writes screen dumps of home computers as their video memory stores them. The photograph is reduced to greys that each
 * computer has. Their colours in sRGB are not standardized, so only the perceptual hash can agree.
 */
import type { Drawing } from './drawn.ts';
import { type Raster, rasterOf } from './raster.ts';
import type { Source } from './sources.ts';

/** Returns luminances of a source, resized by the nearest pixel; 0 to 255. */
function greyAt({ samples, width, height, channels }: Source, columns: number, rows: number) {
  return (x: number, y: number): number => {
    const at = Math.floor(((y + 0.5) * height) / rows) * width + Math.floor(((x + 0.5) * width) / columns);
    if (channels === 1) return samples[at]!;
    return (samples[at * 3]! * 299 + samples[at * 3 + 1]! * 587 + samples[at * 3 + 2]! * 114) / 1000;
  };
}

interface Screen {
  width: number;
  height: number;
  /** Number of grey levels. */
  levels: number;
  /** How often each column is repeated, for wide pixels. */
  wide?: number;
  /** Returns the bytes of the file from the level of each pixel. */
  write(level: (x: number, y: number) => number): Uint8Array;
}

function screen(format: Drawing['format'], name: string, { width, height, levels, wide = 1, write }: Screen): Drawing {
  return {
    format,
    name,
    draw({ wide: source }) {
      const grey = greyAt(source, width, height);
      const level = (x: number, y: number) => Math.min(levels - 1, Math.floor((grey(x, y) * levels) / 256));
      const shown = width * wide;
      const samples = Uint8Array.from({ length: shown * height }, (_, at) => {
        const x = Math.floor((at % shown) / wide);
        return (level(x, Math.floor(at / shown)) * 255) / (levels - 1);
      });
      const drawn: Raster = rasterOf(samples, { width: shown, height, channels: 1 });
      return { bytes: write(level), drawn };
    },
  };
}

/** Packs rows of pixels of a few bits, the leftmost in the highest bits. */
function packed(width: number, height: number, bits: number, level: (x: number, y: number) => number): Buffer {
  const rowBytes = (width * bits) / 8;
  const bytes = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * bits;
      bytes[y * rowBytes + (bit >> 3)]! |= level(x, y) << (8 - bits - (bit & 7));
    }
  }
  return bytes;
}

/** Reorders rows of bytes as the Commodore 64 stores them: cell by cell, eight rows each. */
function cells(rows: Uint8Array): Buffer {
  const columns = 40;
  return Buffer.from(
    rows.map((_, at) => {
      const cell = at >> 3;
      return rows[(Math.floor(cell / columns) * 8 + (at & 7)) * columns + (cell % columns)]!;
    }),
  );
}

const repeat = (value: number, times: number): Buffer => Buffer.alloc(times, value);
const BLACK_WHITE_CELLS = 0x10;

/**
 * Writes thirds of the screen, then the rows of characters in turn (Sinclair, "ZX Spectrum BASIC programming", chapter
 * 24).
 */
function writeZx(level: (x: number, y: number) => number): Uint8Array {
  const rows = packed(256, 192, 1, level);
  const bytes = Buffer.alloc(6912, 0x47);
  for (let y = 0; y < 192; y++) {
    const to = (y & 0xc0) | ((y & 7) << 3) | ((y & 0x38) >> 3);
    rows.copy(bytes, to * 32, y * 32, y * 32 + 32);
  }
  return bytes;
}

/** Returns the words of the planes of an ST screen in eight colours. */
function planes(level: (x: number, y: number) => number): number[] {
  const words = new Uint16Array(16_000);
  for (let y = 0; y < 200; y++) {
    for (let x = 0; x < 320; x++) {
      for (let plane = 0; plane < 3; plane++) {
        if ((level(x, y) >> plane) & 1) words[y * 80 + (x >> 4) * 4 + plane]! |= 0x8000 >> (x & 15);
      }
    }
  }
  return [...words];
}

/** Writes eight greys of the ST palette, without runs. */
function writeTiny(level: (x: number, y: number) => number): Uint8Array {
  const words = planes(level);
  // Every fourth word, column by column, in literal runs of at most 128 words.
  const ordered: number[] = [];
  for (let plane = 0; plane < 4; plane++) {
    for (let column = 0; column < 20; column++) {
      for (let y = 0; y < 200; y++) ordered.push(words[y * 80 + column * 4 + plane]!);
    }
  }
  const control = Array.from({ length: 125 }, () => 256 - 128);
  const head = Buffer.alloc(37);
  for (let colour = 0; colour < 8; colour++) head.writeUInt16BE(colour * 0x111, 1 + colour * 2);
  head.writeUInt16BE(control.length, 33);
  head.writeUInt16BE(ordered.length, 35);
  return Buffer.concat([head, Buffer.from(control), Buffer.from(ordered.flatMap((word) => [word >> 8, word & 255]))]);
}

/** Writes the same palette and planes, in the order of the video memory. */
function writeNeochrome(level: (x: number, y: number) => number): Uint8Array {
  const bytes = Buffer.alloc(128 + 32_000);
  for (let colour = 0; colour < 8; colour++) bytes.writeUInt16BE(colour * 0x111, 4 + colour * 2);
  Buffer.from(planes(level).flatMap((word) => [word >> 8, word & 255])).copy(bytes, 128);
  return bytes;
}

/** Two bytes per line; in white both dots of a pair are set. */
function writeHires(level: (x: number, y: number) => number): Uint8Array {
  const bytes = Buffer.alloc(8192);
  for (let y = 0; y < 192; y++) {
    const line = (y & 7) * 1024 + ((y >> 3) & 7) * 128 + (y >> 6) * 40;
    for (let x = 0; x < 280; x++) bytes[line + Math.floor(x / 7)]! |= level(x >> 1, y) << (x % 7);
  }
  return bytes;
}

/** Green, red and blue have three, three and two bits: these are the greys with equal values. */
const MSX_GREYS = [0x00, 0x49, 0xb6, 0xff];

export const HOME_COMPUTERS: readonly Drawing[] = [
  screen('koala', 'screen.koa', {
    width: 160,
    height: 200,
    levels: 4,
    wide: 2,
    // Black, dark grey, light grey, white.
    write: (level) =>
      Buffer.concat([
        Buffer.of(0x00, 0x60),
        cells(packed(160, 200, 2, level)),
        repeat(0xbf, 1000),
        repeat(0x01, 1000),
        Buffer.of(0),
      ]),
  }),
  screen('artstudio', 'screen.aas', {
    width: 320,
    height: 200,
    levels: 2,
    write: (level) =>
      Buffer.concat([
        Buffer.of(0x00, 0x20),
        cells(packed(320, 200, 1, level)),
        repeat(BLACK_WHITE_CELLS, 1000),
        repeat(0, 7),
      ]),
  }),
  screen('doodle', 'screen.dd', {
    width: 320,
    height: 200,
    levels: 2,
    write: (level) =>
      Buffer.concat([
        Buffer.of(0x00, 0x5c),
        repeat(BLACK_WHITE_CELLS, 1024),
        cells(packed(320, 200, 1, level)),
        repeat(0, 192),
      ]),
  }),
  screen('zxscreen', 'screen.scr', { width: 256, height: 192, levels: 2, write: writeZx }),
  screen('msx', 'screen.sc8', {
    width: 256,
    height: 212,
    levels: 4,
    write: (level) =>
      Buffer.concat([Buffer.of(0xfe, 0, 0, 0xff, 0xd3, 0, 0), packed(256, 212, 8, (x, y) => MSX_GREYS[level(x, y)]!)]),
  }),
  screen('apple2', 'screen.hgr', { width: 140, height: 192, levels: 2, wide: 2, write: writeHires }),
  screen('atari8', 'screen.gr9', {
    width: 80,
    height: 192,
    levels: 16,
    wide: 4,
    write: (level) => packed(80, 192, 4, level),
  }),
  screen('atari8', 'screen.gr8', { width: 320, height: 192, levels: 2, write: (level) => packed(320, 192, 1, level) }),
  screen('neochrome', 'screen.neo', { width: 320, height: 200, levels: 8, write: writeNeochrome }),
  screen('tiny', 'screen.tny', { width: 320, height: 200, levels: 8, write: writeTiny }),
];
