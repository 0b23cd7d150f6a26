/** FITS and scan volumes: axes that claim more than the file has, gzip that inflates. */
import { gzipSync } from 'node:zlib';
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, fields, gzipZeros, le16, le32, padded, text } from './bytes.ts';

const card = (name: string, value: string | number): string =>
  `${name.padEnd(8)}= ${String(value).padStart(20)}`.padEnd(80);
const BLOCK = 2880;

/** Writes one FITS header, padded to whole blocks. */
function unit(first: string, bits: number, axes: readonly number[], more: readonly string[] = []): Buffer {
  const cards = [
    first,
    card('BITPIX', bits),
    card('NAXIS', axes.length),
    ...axes.map((length, index) => card(`NAXIS${index + 1}`, length)),
    ...more,
    'END'.padEnd(80),
  ].join('');
  return Buffer.alloc(Math.ceil(cards.length / BLOCK) * BLOCK, ' ').fill(cards, 0, cards.length, 'latin1');
}

const PRIMARY = card('SIMPLE', 'T');
const EXTENSION = `XTENSION= 'IMAGE   '`.padEnd(80);

export const FITS_BOMBS: readonly Bomb[] = bombs('science', 'fits', {
  'claims 100000 x 100000': () => Buffer.concat([unit(PRIMARY, 8, [100_000, 100_000]), Buffer.alloc(BLOCK)]),
  'claims 9999 x 9999 of 64 bits': () => Buffer.concat([unit(PRIMARY, -64, [9999, 9999]), Buffer.alloc(BLOCK)]),
  'claims 999,999,999 planes': () => Buffer.concat([unit(PRIMARY, 16, [1000, 1000, 999_999_999]), Buffer.alloc(BLOCK)]),
  '999 axes of 9': () => unit(PRIMARY, 8, Array<number>(999).fill(9)),
  '5,000 extensions of 9999 x 9999': () =>
    Buffer.concat([unit(PRIMARY, 8, []), ...Array<Buffer>(5000).fill(unit(EXTENSION, 8, [9999, 0]))]),
  '200,000 comments': () => unit(PRIMARY, 8, [100, 100], Array<string>(200_000).fill('COMMENT x'.padEnd(80))),
});

function nifti(dimensions: readonly number[], type: number, bits: number): Buffer {
  const dim = le16(dimensions.length, ...dimensions);
  const offset = Buffer.from(Float32Array.of(352).buffer);
  return fields(352, [0, le32(348)], [40, dim], [70, le16(type, bits)], [108, offset], [344, text('n+1\0')]);
}

export const NIFTI_BOMBS: readonly Bomb[] = bombs('science', 'nifti', {
  'claims 32767 x 32767 x 32767': () => nifti([32_767, 32_767, 32_767], 2, 8),
  'claims 9999 x 9999 of 128 bits': () => padded(nifti([9999, 9999, 1], 1792, 128), 1000),
  'gzipped, inflates to 1 GB': () => Buffer.concat([gzipSync(nifti([30_000, 30_000, 1], 2, 8)), gzipZeros(2 ** 30)]),
  'gzipped, 9999 x 9999': () => Buffer.concat([gzipSync(nifti([9999, 9999, 1], 2, 8)), gzipZeros(9999 * 9999)]),
  'gzipped, 1,000 planes of 1000 x 1000': () =>
    Buffer.concat([gzipSync(nifti([1000, 1000, 1000], 2, 8)), gzipZeros(1e9)]),
});

export const MGH_BOMBS: readonly Bomb[] = bombs('science', 'mgh', {
  'claims 2,147,483,647 x 2,147,483,647': () => padded(be32(1, 0x7fffffff, 0x7fffffff, 1, 1, 0), 2000),
  'gzipped, inflates to 1 GB': () =>
    Buffer.concat([gzipSync(padded(be32(1, 30_000, 30_000, 1, 1, 0), 284)), gzipZeros(2 ** 30)]),
});

export const ANALYZE_BOMBS: readonly Bomb[] = bombs('science', 'analyze', {
  'claims 32767 x 32767 x 32767': () =>
    fields(1000, [0, be32(348)], [40, be16(3, 32_767, 32_767, 32_767)], [70, be16(2, 8)]),
  'claims 9999 x 9999 of 64 bits': () => fields(1000, [0, be32(348)], [40, be16(3, 9999, 9999, 1)], [70, be16(64, 64)]),
});
