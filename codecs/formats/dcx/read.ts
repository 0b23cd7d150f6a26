/** Reads DCX, the pages of a fax as PCX images (Intel, "DCX File Format", in the CAS specification 1.2, 1990). */
import { checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { type PcxHeader, readPcxHeader, readPcxPixels } from '../../legacy/pcx.ts';
import { probeOf } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const MAGIC = 0x3ade68b1;
const MAX_PAGES = 1023;

/**
 * Reads a page. The header lists the starts of pages up to a zero. A page ends where the next one starts or the file
 * ends.
 */
function readPage(bytes: Uint8Array, page: number): { pages: number; file: Uint8Array; header: PcxHeader } {
  const reader = new Reader(bytes, FORMATS.dcx.name, true);
  if (reader.u32(0) !== MAGIC) throw corruptImage(FORMATS.dcx.name);
  const starts: number[] = [];
  for (let at = 4; starts.length < MAX_PAGES && at + 4 <= bytes.length && reader.u32(at) !== 0; at += 4) {
    starts.push(reader.u32(at));
  }
  if (starts.length === 0) throw corruptImage(FORMATS.dcx.name, 'no page');
  const start = starts[page - 1];
  if (start === undefined) throw pageOutOfRange(page, starts.length);
  const end = starts.reduce((nearest, other) => (other > start ? Math.min(nearest, other) : nearest), bytes.length);
  const file = bytes.subarray(start, end);
  const header = readPcxHeader(file);
  if (!header) throw corruptImage(FORMATS.dcx.name);
  return { pages: starts.length, file, header };
}

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { header, pages } = readPage(bytes, page);
    return probeOf(header, pages);
  },
  decode(bytes, { page, maxPixels }) {
    const { header, file } = readPage(bytes, page);
    checkPixels(header, maxPixels);
    const bitmap = readPcxPixels(file, header);
    if (!bitmap) throw corruptImage(FORMATS.dcx.name);
    return { bitmap };
  },
};
