/**
 * Runs gif on the real pool, writes small GIF files block by block, and decodes animations with independent decoders.
 */
import sharp from 'sharp';
import type { GifResult } from '../../../engine/operations/gif/definition.ts';
import { checkGifParams, type GifParams, gifParams } from '../../../engine/operations/gif/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { SourceFile, TaskInput } from '../../../engine/task.ts';
import { ownBuffer, testEngine } from '../../support/engine.ts';
import type { RawImage } from '../../support/test-images.ts';

export interface GifOptions extends Partial<GifParams> {
  page?: number;
  filename?: string;
}

export function gifInput(image: Uint8Array, options: GifOptions = {}): TaskInput<'gif'> {
  const params = gifParams.extend(sourceParams.shape).parse(options);
  checkGifParams(params);
  const { filename } = options;
  const file: SourceFile = { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) };
  return { image: file, params };
}

/** Runs gif with the default parameters. */
export async function edit(image: Uint8Array, options: GifOptions = {}): Promise<GifResult & { bytes: Buffer }> {
  const result = await (await testEngine()).run('gif', gifInput(image, options));
  return { ...result, bytes: Buffer.from(result.data) };
}

export interface Decoded {
  /** RGBA frames. */
  frames: RawImage[];
  delays: number[];
  /** Number of plays; 0 means forever. */
  plays: number;
}

/** Decodes every displayed frame with sharp. */
export async function decodeAnimation(bytes: Uint8Array): Promise<Decoded> {
  const image = sharp(bytes, { animated: true, limitInputPixels: false });
  const { pages = 1, delay = [], loop = 1 } = await image.metadata();
  const { data, info } = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const height = info.height / pages;
  const size = info.width * height * 4;
  const frames = Array.from({ length: pages }, (_, index) => ({
    data: data.subarray(index * size, (index + 1) * size),
    width: info.width,
    height,
    channels: 4,
  }));
  return { frames, delays: delay, plays: loop };
}

export interface TestFrame {
  left?: number;
  top?: number;
  width: number;
  height: number;
  /** Indices into the table, row by row. */
  indices: readonly number[];
  /** Delay in hundredths of a second; null omits the control block. */
  delay?: number | null;
  /** 0 to 3 (GIF89a, section 23). */
  disposal?: number;
  transparent?: number;
  /** Local colour table; its size is a power of two. */
  table?: readonly number[];
}

export interface TestGif {
  width: number;
  height: number;
  frames: readonly TestFrame[];
  /** Global colour table as 0xrrggbb; its size is a power of two. */
  table?: readonly number[];
  background?: number;
  /** The number in the loop block; undefined omits the block. */
  repeats?: number;
}

const u16 = (value: number) => [value & 255, value >> 8];
const bitsOf = (table: readonly number[]) => Math.log2(table.length);
const tableBytes = (table: readonly number[]) =>
  table.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]);
const packedTable = (table: readonly number[] | undefined) => (table ? 0x80 | (bitsOf(table) - 1) : 0);

/**
 * Writes a GIF file of exactly these blocks. This encoder is independent of the one under test and does not optimise.
 */
export function makeGif({ width, height, frames, table, background = 0, repeats }: TestGif): Buffer {
  const bytes: number[] = [...Buffer.from('GIF89a'), ...u16(width), ...u16(height), packedTable(table), background, 0];
  if (table) bytes.push(...tableBytes(table));
  if (repeats !== undefined) bytes.push(0x21, 0xff, 11, ...Buffer.from('NETSCAPE2.0'), 3, 1, ...u16(repeats), 0);
  for (const frame of frames) {
    const { left = 0, top = 0, delay = 10, disposal = 0, transparent } = frame;
    if (delay !== null) {
      const packed = (disposal << 2) | (transparent === undefined ? 0 : 1);
      bytes.push(0x21, 0xf9, 4, packed, ...u16(delay), transparent ?? 0, 0);
    }
    bytes.push(0x2c, ...u16(left), ...u16(top), ...u16(frame.width), ...u16(frame.height), packedTable(frame.table));
    if (frame.table) bytes.push(...tableBytes(frame.table));
    const bits = Math.max(2, bitsOf(frame.table ?? table ?? []));
    bytes.push(bits, ...subBlocks(literalCodes(frame.indices, bits)), 0);
  }
  return Buffer.from([...bytes, 0x3b]);
}

/** Encodes LZW without a dictionary: it clears the table before codes would get longer. */
function literalCodes(indices: readonly number[], bits: number): number[] {
  const clear = 2 ** bits;
  const bytes: number[] = [];
  let buffer = 0;
  let filled = 0;
  const put = (code: number) => {
    buffer |= code << filled;
    for (filled += bits + 1; filled >= 8; filled -= 8) {
      bytes.push(buffer & 255);
      buffer >>>= 8;
    }
  };
  for (const [place, index] of indices.entries()) {
    if (place % (clear - 2) === 0) put(clear);
    put(index);
  }
  put(clear + 1);
  if (filled > 0) bytes.push(buffer & 255);
  return bytes;
}

function subBlocks(data: readonly number[]): number[] {
  const blocks: number[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const part = data.slice(at, at + 255);
    blocks.push(part.length, ...part);
  }
  return blocks;
}

/** Returns the screen during each frame: colours as 0xrrggbb, -1 for transparent pixels. */
export function compose({ width, height, frames, table }: TestGif): Int32Array[] {
  let screen = new Int32Array(width * height).fill(-1);
  return frames.map((frame) => {
    const { left = 0, top = 0, disposal, transparent } = frame;
    const before = screen.slice();
    const inside = (change: (at: number, index: number) => void) => {
      for (const [place, index] of frame.indices.entries()) {
        const x = left + (place % frame.width);
        const y = top + Math.floor(place / frame.width);
        if (x < width && y < height) change(y * width + x, index);
      }
    };
    inside((at, index) => {
      if (index !== transparent) screen[at] = (frame.table ?? table)?.[index] as number;
    });
    const shown = screen.slice();
    if (disposal === 2) inside((at) => (screen[at] = -1));
    if (disposal === 3) screen = before;
    return shown;
  });
}

/** Returns the same for a file, as decoded by sharp. */
export async function displayedColours(bytes: Uint8Array): Promise<Int32Array[]> {
  const { frames } = await decodeAnimation(bytes);
  return frames.map(({ data }) =>
    new Int32Array(data.length / 4).map((_, place) =>
      data[place * 4 + 3] === 0 ? -1 : data.readUInt32BE(place * 4) >>> 8,
    ),
  );
}
