/** GIF89a: huge screens, thousands of frames, growing codes, blocks without content. */
import { type Bomb, bombs } from './bomb.ts';
import { BitWriter, le16, repeat, text, u8 } from './bytes.ts';

const screen = (width: number, height: number): Buffer =>
  Buffer.concat([text('GIF89a'), le16(width, height), u8(0x80, 0, 0, 0, 0, 0, 255, 128, 0)]);

const control = (disposal: number, delay = 4): Buffer =>
  Buffer.concat([u8(0x21, 0xf9, 4, disposal << 2), le16(delay), u8(0, 0)]);

const LOOP = Buffer.concat([u8(0x21, 0xff, 11), text('NETSCAPE2.0'), u8(3, 1, 0, 0, 0)]);
const TRAILER = u8(0x3b);

interface Frame {
  left?: number;
  top?: number;
  width: number;
  height: number;
  isInterlaced?: boolean;
}

const image = ({ left = 0, top = 0, width, height, isInterlaced = false }: Frame, data: Uint8Array): Buffer =>
  Buffer.concat([u8(0x2c), le16(left, top, width, height), u8(isInterlaced ? 0x40 : 0), data]);

function inSubBlocks(minimum: number, codes: Uint8Array): Buffer {
  const parts: Buffer[] = [u8(minimum)];
  for (let at = 0; at < codes.length; at += 255) {
    const part = codes.subarray(at, at + 255);
    parts.push(u8(part.length), Buffer.from(part));
  }
  return Buffer.concat([...parts, u8(0)]);
}

const CLEAR = 4;
const END = 5;
const MAX_CODES = 4096;

/** Codes one colour. Each code stands for one pixel more than the last, up to 4,090 pixels when the table is full. */
function oneColour(pixels: number): Buffer {
  const bits = new BitWriter('low first').write(CLEAR, 3).write(1, 3);
  let written = 1;
  let next = 6;
  let width = 3;
  for (let phrase = 2; written < pixels; ) {
    const left = pixels - written;
    // The code that the decoder adds with this same code, while the table is not full.
    const grows = next < MAX_CODES && left >= phrase;
    const code = grows ? next : left >= phrase - 1 && next >= MAX_CODES ? next - 1 : left === 1 ? 1 : left + 4;
    bits.write(code, width);
    written += grows ? phrase : code === 1 ? 1 : code - 4;
    if (next < MAX_CODES) {
      next++;
      phrase++;
      if (next === 1 << width && width < 12) width++;
    }
  }
  return inSubBlocks(2, bits.write(END, width).finish());
}

const DOT = u8(2, 2, 0x4c, 0x01, 0);
const dot = image({ width: 1, height: 1 }, DOT);

export const GIF_BOMBS: readonly Bomb[] = bombs('gif', 'gif', {
  'screen of 65535 x 65535 with a dot': () => Buffer.concat([screen(65_535, 65_535), dot, TRAILER]),
  'screen of 9999 x 9999 with a dot': () => Buffer.concat([screen(9999, 9999), dot, TRAILER]),
  '50,000 dots on 4000 x 4000': () =>
    Buffer.concat([screen(4000, 4000), LOOP, repeat(Buffer.concat([control(1), dot]), 50_000), TRAILER]),
  '300 dots on 4000 x 4000, each restoring the frame before': () =>
    Buffer.concat([screen(4000, 4000), LOOP, repeat(Buffer.concat([control(3), dot]), 300), TRAILER]),
  '90 dots on 1000 x 1000': () =>
    Buffer.concat([screen(1000, 1000), LOOP, repeat(Buffer.concat([control(2), dot]), 90), TRAILER]),
  '200,000 dots on 10 x 10': () =>
    Buffer.concat([screen(10, 10), LOOP, repeat(Buffer.concat([control(2), dot]), 200_000), TRAILER]),
  '40 whole frames of 9999 x 9999': () =>
    Buffer.concat([
      screen(9999, 9999),
      LOOP,
      repeat(Buffer.concat([control(1), image({ width: 9999, height: 9999 }, oneColour(9999 * 9999))]), 40),
      TRAILER,
    ]),
  'one frame of 65535 x 65535': () =>
    Buffer.concat([screen(65_535, 65_535), image({ width: 65_535, height: 65_535 }, oneColour(5e7)), TRAILER]),
  'frame of 65535 x 65535 beyond a screen of 1 x 1': () =>
    Buffer.concat([screen(1, 1), image({ width: 65_535, height: 65_535 }, oneColour(5e7)), TRAILER]),
  'interlaced, 9999 x 9999': () =>
    Buffer.concat([
      screen(9999, 9999),
      image({ width: 9999, height: 9999, isInterlaced: true }, oneColour(9999 * 9999)),
      TRAILER,
    ]),
  '1,000,000 comments': () =>
    Buffer.concat([screen(10, 10), repeat(u8(0x21, 0xfe, 1, 65, 0), 1_000_000), dot, TRAILER]),
  '3,000,000 empty extensions': () =>
    Buffer.concat([screen(10, 10), repeat(u8(0x21, 0xfe, 0), 3_000_000), dot, TRAILER]),
  '5,000,000 clear codes': () => {
    const codes = new BitWriter('low first');
    for (let index = 0; index < 8; index++) codes.write(CLEAR, 3);
    return Buffer.concat([
      screen(100, 100),
      image({ width: 100, height: 100 }, inSubBlocks(2, repeat(codes.finish(), 625_000))),
      TRAILER,
    ]);
  },
  'valid, 9999 x 9999': () =>
    Buffer.concat([screen(9999, 9999), image({ width: 9999, height: 9999 }, oneColour(9999 * 9999)), TRAILER]),
  'valid, 100 whole frames of 1000 x 1000': () =>
    Buffer.concat([
      screen(1000, 1000),
      LOOP,
      repeat(Buffer.concat([control(1), image({ width: 1000, height: 1000 }, oneColour(1e6))]), 100),
      TRAILER,
    ]),
});
