/** JPEG XL: headers that claim huge sizes, many frames, empty boxes. */
import { deflateSync } from 'node:zlib';
import { type Bomb, bombs } from './bomb.ts';
import { BitWriter, be32, noise, repeat, text } from './bytes.ts';
import { encodeJxl } from './encoders.ts';

/** A size header with 30 bits for each side, then default image metadata. */
function claim(width: number, height: number): Buffer {
  const bits = new BitWriter('low first')
    .write(0xff, 8)
    .write(0x0a, 8)
    .write(0, 1)
    .write(3, 2)
    .write(height - 1, 30);
  return bits
    .write(0, 3)
    .write(3, 2)
    .write(width - 1, 30)
    .write(1, 1)
    .write(1, 1)
    .finish();
}

const box = (type: string, ...content: readonly Uint8Array[]): Buffer => {
  const data = Buffer.concat(content);
  return Buffer.concat([be32(data.length + 8), text(type), data]);
};

const CONTAINER = Buffer.concat([
  box('JXL ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
  box('ftyp', text('jxl '), be32(0), text('jxl ')),
]);

export const JXL_BOMBS: readonly Bomb[] = bombs('jxl', 'jxl', {
  'claims 1,073,741,824 x 1,073,741,824': () => Buffer.concat([claim(2 ** 30, 2 ** 30), noise(1000)]),
  'claims 60000 x 60000': () => Buffer.concat([claim(60_000, 60_000), noise(1000)]),
  'claims 9999 x 9999, with noise': () => Buffer.concat([claim(9999, 9999), noise(10_000, 5)]),
  'claims 9999 x 9999, with zeros': () => Buffer.concat([claim(9999, 9999), Buffer.alloc(10_000)]),
  '1,000,000 empty boxes': async () =>
    Buffer.concat([CONTAINER, repeat(box('free'), 1_000_000), box('jxlc', await encodeJxl(64, 64))]),
  '100,000 parts': async () =>
    Buffer.concat([
      CONTAINER,
      ...Array.from({ length: 100_000 }, (_, index) => box('jxlp', be32(index))),
      box('jxlp', be32(0x800186a0), await encodeJxl(64, 64)),
    ]),
  'metadata that was deflated': async () =>
    Buffer.concat([
      CONTAINER,
      box('jxlc', await encodeJxl(64, 64)),
      box('brob', text('Exif'), deflateSync(Buffer.alloc(1e8))),
    ]),
  '300 frames of 200 x 200': () => encodeJxl(200, 200, 300),
  'valid, 9999 x 9999': () => encodeJxl(9999, 9999),
});
