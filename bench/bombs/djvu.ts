/** DjVu: huge page sizes, shapes and wavelet slices; an arithmetic decoder reads them from any data. */
import { type ChunkParts, chunk, form, info, singlePage } from '../../test/codecs/formats/djvu/djvu-writer.ts';
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, noise, repeat, text, u8 } from './bytes.ts';

/** A first wavelet chunk: serial number, slices, version, size and delay. */
const wavelets = (width: number, height: number, data: Uint8Array, slices = 255): ChunkParts =>
  chunk('BG44', Buffer.concat([u8(0, slices, 1, 2), be16(width, height), u8(10), data]));

const furtherSlices = (index: number, data: Uint8Array): ChunkParts =>
  chunk('BG44', Buffer.concat([u8(index & 255, 255), data]));

const page = (...chunks: readonly ChunkParts[]): Buffer => Buffer.from(singlePage(...chunks));

/** Writes a page with the same bytes repeated after its last chunk. */
function followedBy(chunkBytes: Uint8Array, count: number): Buffer {
  const start = page(info(1000, 1000));
  const more = repeat(chunkBytes, count);
  // The length of the FORM follows "AT&TFORM".
  start.writeUInt32BE(start.readUInt32BE(8) + more.length, 8);
  return Buffer.concat([start, more]);
}

export const DJVU_BOMBS: readonly Bomb[] = bombs('djvu', 'djvu', {
  'claims 65535 x 65535': () => page(info(65_535, 65_535)),
  'empty page of 9999 x 9999': () => page(info(9999, 9999)),
  'shapes of zeros on 9999 x 9999': () => page(info(9999, 9999), chunk('Sjbz', Buffer.alloc(100_000))),
  'shapes of ones on 9999 x 9999': () => page(info(9999, 9999), chunk('Sjbz', Buffer.alloc(100_000, 0xff))),
  'shapes of noise on 9999 x 9999': () => page(info(9999, 9999), chunk('Sjbz', noise(1_000_000, 7))),
  'wavelets of zeros, 9999 x 9999': () => page(info(9999, 9999), wavelets(9999, 9999, Buffer.alloc(100_000))),
  'wavelets of noise, 9999 x 9999': () => page(info(9999, 9999), wavelets(9999, 9999, noise(2_000_000, 9))),
  'wavelets of 65535 x 65535 on a small page': () => page(info(1000, 1000), wavelets(65_535, 65_535, noise(10_000))),
  '250 wavelet chunks of 5000 x 5000': () =>
    page(
      info(5000, 5000),
      wavelets(5000, 5000, noise(10_000)),
      ...Array.from({ length: 250 }, (_, index) => furtherSlices(index + 1, noise(10_000, index))),
    ),
  'fax of 9999 x 9999': () =>
    page(info(9999, 9999), chunk('Smmr', Buffer.concat([text('MMR\0'), be16(9999, 9999), Buffer.alloc(2000, 0xff)]))),
  'fax of 65535 x 65535': () =>
    page(
      info(1000, 1000),
      chunk('Smmr', Buffer.concat([text('MMR\0'), be16(65_535, 65_535), Buffer.alloc(9000, 0xff)])),
    ),
  '50,000 inclusions': () => followedBy(Buffer.concat([text('INCL'), be32(6), text('a.djvu')]), 50_000),
  'directory of noise': () =>
    Buffer.concat([text('AT&T'), form('DJVM', chunk('DIRM', Buffer.concat([u8(0x81), be16(0xffff), noise(500_000)])))]),
  '1,000,000 empty chunks': () => followedBy(Buffer.concat([text('JUNK'), be32(0)]), 1_000_000),
});
