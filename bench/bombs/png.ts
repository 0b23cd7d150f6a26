/** PNG: pixels, texts and profiles of deflated zeros, a huge number of chunks, APNG. */
import { crc32 } from 'node:zlib';
import { filteredBytes, passesOf } from '../../codecs/png/rows.ts';
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, repeat, text, u8, zlibZeros } from './bytes.ts';

const SIGNATURE = text('\x89PNG\r\n\x1a\n');

export function chunk(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([text(type), ...content]);
  return Buffer.concat([be32(body.length - 4), body, be32(crc32(body))]);
}

interface Image {
  width: number;
  height: number;
  depth?: number;
  colourType?: number;
  isInterlaced?: boolean;
}

const PALETTE = 3;
const RGB = 2;
const RGBA = 6;

const headerOf = ({ width, height, depth = 8, colourType = RGB, isInterlaced = false }: Image): Buffer =>
  Buffer.concat([be32(width, height), u8(depth, colourType, 0, 0, isInterlaced ? 1 : 0)]);
const header = (image: Image): Buffer => chunk('IHDR', headerOf(image));

/** Returns the bytes of the filtered rows. Each row of each pass has a byte for its filter. */
const pixelBytes = (image: Image): number => filteredBytes(passesOf(headerOf(image)));

const END = chunk('IEND');

export const blankPng = (image: Image, ...chunks: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    SIGNATURE,
    header(image),
    ...(image.colourType === PALETTE ? [chunk('PLTE', u8(1, 2, 3))] : []),
    ...chunks,
    chunk('IDAT', zlibZeros(pixelBytes(image))),
    END,
  ]);

/** @param zeros number of inflated bytes of its data, which may differ from the number that the header requires */
const claim = (image: Image, zeros: number): Buffer =>
  Buffer.concat([SIGNATURE, header(image), chunk('IDAT', zlibZeros(zeros)), END]);

const TINY: Image = { width: 64, height: 64 };
const GIGABYTE = 2 ** 30;
const zText = (name: string, bytes: number): Buffer => chunk('zTXt', text(`${name}\0\0`), zlibZeros(bytes));

function apng(image: Image, frames: number, frame: Image): Buffer {
  const { width, height } = frame;
  const data = zlibZeros(pixelBytes(frame));
  const parts = Array.from({ length: frames }, (_, index) =>
    Buffer.concat([
      chunk('fcTL', be32(index * 2 + 1, width, height, 0, 0), be16(1, 25), u8(0, 0)),
      chunk('fdAT', be32(index * 2 + 2), data),
    ]),
  );
  const first = chunk('fcTL', be32(0, image.width, image.height, 0, 0), be16(1, 25), u8(0, 0));
  return Buffer.concat([
    SIGNATURE,
    header(image),
    chunk('acTL', be32(frames + 1, 0)),
    first,
    chunk('IDAT', zlibZeros(pixelBytes(image))),
    ...parts,
    END,
  ]);
}

export const PNG_BOMBS: readonly Bomb[] = bombs('png', 'png', {
  'claims 30000 x 30000': () => claim({ width: 30_000, height: 30_000 }, 30e6),
  'claims 2,147,483,647 x 2,147,483,647': () => claim({ width: 0x7fffffff, height: 0x7fffffff }, 1000),
  'claims 100,000,000 x 1, 16 bits, RGBA': () => claim({ width: 1e8, height: 1, depth: 16, colourType: RGBA }, 8e8),
  '4 GB of zeros behind 64 x 64 pixels': () => claim(TINY, 4 * GIGABYTE),
  'compressed text of 1 GB': () => blankPng(TINY, zText('Comment', GIGABYTE)),
  '10 compressed texts of 1 GB': () => blankPng(TINY, repeat(zText('Comment', GIGABYTE), 10)),
  'international text of 1 GB': () =>
    blankPng(TINY, chunk('iTXt', text('XML:com.adobe.xmp\0\x01\0\0\0'), zlibZeros(GIGABYTE))),
  'profile of 1 GB': () => blankPng(TINY, chunk('iCCP', text('icc\0\0'), zlibZeros(GIGABYTE))),
  'raw profile text of 1 GB': () => blankPng(TINY, zText('Raw profile type exif', GIGABYTE)),
  '300,000 compressed texts of 4 kB': () => blankPng(TINY, repeat(zText('a', 4096), 300_000)),
  '1,000,000 empty texts': () => blankPng(TINY, repeat(chunk('tEXt', text('a\0')), 1_000_000)),
  '800,000 empty data chunks': () =>
    Buffer.concat([
      SIGNATURE,
      header(TINY),
      repeat(chunk('IDAT'), 800_000),
      chunk('IDAT', zlibZeros(pixelBytes(TINY))),
      END,
    ]),
  'APNG of 20,000 frames on 4000 x 4000': () => apng({ width: 4000, height: 4000 }, 20_000, { width: 1, height: 1 }),
  'APNG of 50 whole frames of 9999 x 9999': () =>
    apng({ width: 9999, height: 9999 }, 50, { width: 9999, height: 9999 }),
  'interlaced, 16 bits, RGBA, 10000 x 10000': () =>
    blankPng({ width: 10_000, height: 10_000, depth: 16, colourType: RGBA, isInterlaced: true }),
  'valid, 10000 x 10000, RGB': () => blankPng({ width: 10_000, height: 10_000 }),
  'valid, 10000 x 10000, 16 bits, RGBA': () => blankPng({ width: 10_000, height: 10_000, depth: 16, colourType: RGBA }),
  'valid, 17000 x 17000, palette of 1 bit': () =>
    blankPng({ width: 17_000, height: 17_000, depth: 1, colourType: PALETTE }),
  'valid, interlaced, 9999 x 9999': () => blankPng({ width: 9999, height: 9999, isInterlaced: true }),
});
