import { latin1 } from '../../metadata/bytes.ts';
import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

/** Sums the declared pixels, whose headers are text between the samples. */
function miffClaims(bytes: Uint8Array): number {
  const text = latin1(bytes);
  const numbers = (name: string) =>
    [...text.matchAll(new RegExp(`\\b${name}=(\\d{1,9})`, 'gi'))].map(([, digits]) => Number(digits));
  const [columns, rows] = [numbers('columns'), numbers('rows')];
  return columns.reduce((sum, width, index) => sum + width * (rows[index] ?? 0), 0);
}

export const miff = {
  name: 'ImageMagick image',
  extensions: ['miff', 'mif'],
  contentTypes: ['image/x-miff'],
  alpha: true,
  pages: true,
  signature: { rank: 'exact', matches: at(0, 'id=ImageMagick') },
  magick: { coder: 'MIFF', pages: 'each', claims: miffClaims },
} as const satisfies Format;
