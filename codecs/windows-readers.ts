/** Wraps BMP and ICO as readers. Their parsers are also used on the main thread, which uses no readers. */
import { decodeBmp, probeBmp } from './bmp-read.ts';
import type { FormatReader } from './format-reader.ts';
import { decodeIco, probeIco } from './ico-read.ts';

export const bmpReader: FormatReader = {
  probe(bytes) {
    const { width, height, masks } = probeBmp(bytes);
    return { width, height, pages: 1, depth: 8, hasAlpha: Boolean(masks?.alpha) };
  },
  decode: (bytes, { maxPixels }) => decodeBmp(bytes, maxPixels),
};

export const icoReader: FormatReader = {
  probe: (bytes, { page }) => ({ ...probeIco(bytes, page), depth: 8, hasAlpha: true }),
  decode: (bytes, { page, maxPixels }) => decodeIco(bytes, page, maxPixels),
};
