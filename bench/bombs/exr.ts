/** OpenEXR: data windows, tiles and parts far larger than the data in the file. */
import { deflateSync } from 'node:zlib';
import { type Bomb, bombs } from './bomb.ts';
import { le32, noise, text, u8 } from './bytes.ts';

const attribute = (name: string, type: string, value: Uint8Array): Buffer =>
  Buffer.concat([text(`${name}\0${type}\0`), le32(value.length), value]);

const i32 = (...values: readonly number[]): Buffer => le32(...values.map((value) => value >>> 0));
const HALF = 1;
const channel = (name: string): Buffer => Buffer.concat([text(`${name}\0`), le32(HALF, 0, 1, 1)]);
const float = (value: number): Buffer => Buffer.from(Float32Array.of(value).buffer);

interface Image {
  width: number;
  height: number;
  left?: number;
  compression?: number;
  channels?: readonly string[];
  tile?: number;
  parts?: number;
}

const RLE = 1;
const ZIP = 3;
const PIZ = 4;

function header(image: Image): Buffer {
  const { width, height, left = 0, compression = 0, channels = ['G'], tile, parts = 1 } = image;
  const window = i32(left, left, left + width - 1, left + height - 1);
  const part = (index: number) =>
    Buffer.concat([
      attribute('channels', 'chlist', Buffer.concat([...channels.map(channel), u8(0)])),
      attribute('compression', 'compression', u8(compression)),
      attribute('dataWindow', 'box2i', window),
      attribute('displayWindow', 'box2i', window),
      attribute('lineOrder', 'lineOrder', u8(0)),
      attribute('pixelAspectRatio', 'float', float(1)),
      attribute('screenWindowCenter', 'v2f', Buffer.alloc(8)),
      attribute('screenWindowWidth', 'float', float(1)),
      ...(tile ? [attribute('tiles', 'tiledesc', Buffer.concat([le32(tile, tile), u8(0)]))] : []),
      ...(parts > 1
        ? [
            attribute('name', 'string', text(`part${index}`)),
            attribute('type', 'string', text('scanlineimage')),
            attribute('chunkCount', 'int', le32(height)),
          ]
        : []),
      u8(0),
    ]);
  const version = 2 | (tile ? 0x200 : 0) | (parts > 1 ? 0x1000 : 0);
  const all = Array.from({ length: parts }, (_, index) => part(index));
  return Buffer.concat([text('v/1\x01'), le32(version), ...all, ...(parts > 1 ? [u8(0)] : [])]);
}

/** Blocks of 16 deflated lines of zeros, with the table of their offsets. */
function zipped(width: number, height: number): Buffer {
  const head = header({ width, height, compression: ZIP });
  const blocks = Math.ceil(height / 16);
  const sizes = new Map<number, Buffer>();
  const packed = (lines: number) => {
    const data = sizes.get(lines) ?? deflateSync(Buffer.from(predicted(width * 2 * lines)), { level: 9 });
    sizes.set(lines, data);
    return data;
  };
  const parts: Buffer[] = [];
  const offsets = Buffer.alloc(blocks * 8);
  let at = head.length + offsets.length;
  for (let block = 0; block < blocks; block++) {
    const data = packed(Math.min(16, height - block * 16));
    offsets.writeBigUInt64LE(BigInt(at), block * 8);
    const chunk = Buffer.concat([le32(block * 16, data.length), data]);
    parts.push(chunk);
    at += chunk.length;
  }
  return Buffer.concat([head, offsets, ...parts]);
}

/** Returns zeros after OpenEXR's predictor: each byte is the difference to the previous one, plus 128. */
function predicted(bytes: number): Uint8Array {
  const data = new Uint8Array(bytes).fill(128);
  data[0] = 0;
  return data;
}

export const EXR_BOMBS: readonly Bomb[] = bombs('exr', 'exr', {
  'data window of 2,147,483,647 x 2,147,483,647': () => header({ width: 0x7fffffff, height: 0x7fffffff }),
  'data window of 60000 x 60000': () => Buffer.concat([header({ width: 60_000, height: 60_000 }), Buffer.alloc(1000)]),
  'data window of 1 x 2,000,000,000': () => Buffer.concat([header({ width: 1, height: 2e9 }), Buffer.alloc(1000)]),
  'data window that ends at 2,147,483,647': () =>
    Buffer.concat([header({ width: 1000, height: 1000, left: 0x7fffffff - 999 }), Buffer.alloc(1000)]),
  'tiles of 1 x 1 over 30000 x 30000': () =>
    Buffer.concat([header({ width: 30_000, height: 30_000, tile: 1 }), Buffer.alloc(1000)]),
  'tiles of 4,294,967,295': () =>
    Buffer.concat([header({ width: 3000, height: 3000, tile: 0xffffffff }), Buffer.alloc(1000)]),
  '20,000 parts': () => header({ width: 9999, height: 9999, parts: 20_000 }),
  '20,000 channels of 1000 x 1000': () =>
    Buffer.concat([
      header({ width: 1000, height: 1000, channels: Array.from({ length: 20_000 }, (_, index) => `c${index}`) }),
      Buffer.alloc(9000),
    ]),
  'run lengths of 9999 x 9999 without data': () =>
    Buffer.concat([header({ width: 9999, height: 9999, compression: RLE }), Buffer.alloc(80_000)]),
  'wavelets of noise, 9999 x 9999': () =>
    Buffer.concat([header({ width: 9999, height: 9999, compression: PIZ }), noise(100_000)]),
  'valid, deflated, 9999 x 9999': () => zipped(9999, 9999),
});
