/** WebP: a lossless stream without any bit per pixel; huge canvases, frames and tables. */
import { type Bomb, bombs } from './bomb.ts';
import { BitWriter, le16, le32, noise, repeat, text, u8, zlibZeros } from './bytes.ts';

const chunk = (type: string, ...content: readonly Uint8Array[]): Buffer => {
  const data = Buffer.concat(content);
  return Buffer.concat([text(type), le32(data.length), data, Buffer.alloc(data.length % 2)]);
};

const riff = (...chunks: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat([text('WEBP'), ...chunks]);
  return Buffer.concat([text('RIFF'), le32(body.length), body]);
};

const u24 = (value: number): Buffer => le32(value).subarray(0, 3);

const header = (width: number, height: number): BitWriter =>
  new BitWriter('low first')
    .write(0x2f, 8)
    .write(width - 1, 14)
    .write(height - 1, 14)
    .write(1, 1)
    .write(0, 3);

/** Writes five prefix codes with a single symbol, 0, so that a pixel takes no bit. */
function oneSymbol(bits: BitWriter): BitWriter {
  for (let code = 0; code < 5; code++) bits.write(1, 4);
  return bits;
}

const lossless = (width: number, height: number): Buffer =>
  oneSymbol(header(width, height).write(0, 1).write(0, 1).write(0, 1)).finish();

/** Predictor, colour and subtract-green transforms, the first two with an image of one block for each 4 x 4 pixels. */
function transformed(width: number, height: number): Buffer {
  const bits = header(width, height);
  for (const type of [0, 1]) oneSymbol(bits.write(1, 1).write(type, 2).write(0, 3).write(0, 1));
  bits.write(1, 1).write(2, 2);
  return oneSymbol(bits.write(0, 1).write(1, 1).write(11, 4).write(0, 1)).finish();
}

/** A code for every block of 4 x 4 pixels, with noise as the code image: thousands of groups of tables. */
const manyTables = (width: number, height: number): Buffer =>
  Buffer.concat([
    header(width, height).write(0, 1).write(1, 1).write(11, 4).write(1, 1).write(0, 3).finish(),
    noise(100_000),
  ]);

const lossyClaim = (width: number, height: number): Buffer =>
  Buffer.concat([u8(0x10, 0x20, 0, 0x9d, 0x01, 0x2a), le16(width, height), noise(10_000, 3)]);

const ANIMATION = 2;
const ALPHA = 16;
const ICC = 32;
const EXIF = 8;
const XMP = 4;
const extended = (flags: number, width: number, height: number): Buffer =>
  chunk('VP8X', le32(flags), u24(width - 1), u24(height - 1));

const frame = (x: number, y: number, width: number, height: number, disposal = 0): Buffer =>
  chunk(
    'ANMF',
    u24(x / 2),
    u24(y / 2),
    u24(width - 1),
    u24(height - 1),
    u24(40),
    u8(disposal),
    chunk('VP8L', lossless(width, height)),
  );

const animation = (width: number, height: number, frames: Uint8Array): Buffer =>
  riff(extended(ANIMATION | ALPHA, width, height), chunk('ANIM', le32(0), le16(0)), frames);

export const WEBP_BOMBS: readonly Bomb[] = bombs('webp', 'webp', {
  'lossless, 16384 x 16384 in 32 bytes': () => riff(chunk('VP8L', lossless(16_384, 16_384))),
  'lossless with transforms, 16384 x 16384': () => riff(chunk('VP8L', transformed(16_384, 16_384))),
  'lossless with a code for every 4 x 4 pixels of 16384 x 16384': () => riff(chunk('VP8L', manyTables(16_384, 16_384))),
  'lossless with a code for every 4 x 4 pixels of 4000 x 4000': () => riff(chunk('VP8L', manyTables(4000, 4000))),
  'lossy, claims 16383 x 16383': () => riff(chunk('VP8 ', lossyClaim(16_383, 16_383))),
  'canvas of 16,777,216 x 256': () => riff(extended(ALPHA, 16_777_216, 256), chunk('VP8L', lossless(1, 1))),
  'animation, canvas of 16383 x 16383 with a dot': () => animation(16_383, 16_383, frame(0, 0, 1, 1)),
  'animation, 20,000 dots on 4000 x 4000': () => animation(4000, 4000, repeat(frame(0, 0, 1, 1), 20_000)),
  'animation, 90 dots on 1000 x 1000': () => animation(1000, 1000, repeat(frame(0, 0, 1, 1), 90)),
  'animation, 100,000 dots on 2 x 2': () => animation(2, 2, repeat(frame(0, 0, 1, 1), 100_000)),
  'animation, 500 whole frames of 9999 x 9999': () => animation(9999, 9999, repeat(frame(0, 0, 9999, 9999), 500)),
  '2,000,000 empty chunks': () =>
    riff(extended(0, 1, 1), repeat(chunk('JUNK'), 2_000_000), chunk('VP8L', lossless(1, 1))),
  'profile, EXIF and XMP of 6 MB each': () =>
    riff(
      extended(ICC | EXIF | XMP, 64, 64),
      chunk('ICCP', Buffer.alloc(6e6)),
      chunk('VP8L', lossless(64, 64)),
      chunk('EXIF', Buffer.alloc(6e6)),
      chunk('XMP ', Buffer.alloc(6e6, '<a>')),
    ),
  'alpha plane that is no stream': () =>
    riff(extended(ALPHA, 16_383, 6000), chunk('ALPH', u8(1), zlibZeros(1e5)), chunk('VP8 ', lossyClaim(16_383, 6000))),
  'valid, lossless, 10000 x 10000': () => riff(chunk('VP8L', lossless(10_000, 10_000))),
  'valid, lossless with transforms, 9999 x 9999': () => riff(chunk('VP8L', transformed(9999, 9999))),
  'valid, animation of 100 whole frames of 1000 x 1000': () =>
    animation(1000, 1000, repeat(frame(0, 0, 1000, 1000), 100)),
});
