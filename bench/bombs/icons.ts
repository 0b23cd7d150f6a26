/** Windows and Apple icons: many images in one file, each of them huge. */
import { type Bomb, bombs } from './bomb.ts';
import { be32, le16, le32, repeat, text, u8 } from './bytes.ts';
import { codestream } from './jpeg2000.ts';
import { blankPng, chunk } from './png.ts';

/** Writes an icon whose entries refer to these images, each at its own offset. */
function ico(images: readonly Uint8Array[], entries = images.length): Buffer {
  const start = 6 + entries * 16;
  let at = start;
  const offsets = images.map((image) => {
    at += image.length;
    return at - image.length;
  });
  const directory = Array.from({ length: entries }, (_, index) => {
    const image = index % images.length;
    return Buffer.concat([u8(0, 0, 0, 0), le16(1, 32), le32(images[image]!.length, offsets[image]!)]);
  });
  return Buffer.concat([le16(0, 1, entries), ...directory, ...images]);
}

const dib = (width: number, height: number, bits: number): Buffer =>
  Buffer.concat([le32(40, width, height * 2), le16(1, bits), le32(0, 0, 0, 0, 0, 0), Buffer.alloc(1000)]);

const claimingPng = (side: number): Buffer =>
  Buffer.concat([
    text('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', be32(side, side), u8(8, 6, 0, 0, 0)),
    chunk('IDAT', Buffer.alloc(100)),
  ]);

export const ICO_BOMBS: readonly Bomb[] = bombs('icons', 'ico', {
  'a PNG that claims 30000 x 30000': () => ico([claimingPng(30_000)]),
  '256 times a PNG of 5000 x 5000': () => ico([blankPng({ width: 5000, height: 5000, colourType: 6 })], 256),
  '60,000 entries': () => ico([dib(16, 16, 32)], 60_000),
  'bitmap that claims 65535 x 65535': () => ico([dib(65_535, 65_535, 32)]),
  'bitmap that claims 9999 x 9999, 1 bit': () => ico([dib(9999, 9999, 1)]),
  'bitmap that claims 2,147,483,647 x 1': () => ico([dib(0x7fffffff, 1, 32)]),
  'valid, a PNG of 9999 x 9999': () => ico([blankPng({ width: 9999, height: 9999, colourType: 6 })]),
});

const element = (type: string, data: Uint8Array): Buffer => Buffer.concat([text(type), be32(data.length + 8), data]);

function icns(...elements: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(elements);
  return Buffer.concat([text('icns'), be32(body.length + 8), body]);
}

export const ICNS_BOMBS: readonly Bomb[] = bombs('icons', 'icns', {
  'a PNG that claims 30000 x 30000': () => icns(element('ic10', claimingPng(30_000))),
  'a JPEG 2000 of 60000 x 60000': () => icns(element('ic10', codestream({ width: 60_000, height: 60_000 }))),
  '1,000,000 elements': () => icns(repeat(element('TOC ', Buffer.alloc(0)), 1_000_000)),
  'runs without end': () => icns(element('it32', Buffer.concat([be32(0), repeat(u8(0xff, 1), 1_000_000)]))),
  'valid, a PNG of 9999 x 9999': () => icns(element('ic10', blankPng({ width: 9999, height: 9999, colourType: 6 }))),
});
