/** Reads Apple icons. Page 1 is the best image, whatever the order in the file. */
import { checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { FORMATS } from '../registry.ts';
import { type Elements, findImages, type IconImage, readElements } from './elements.ts';
import { decodePixels, findMask } from './pixels.ts';

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { picture, elements, pages } = open(bytes, page);
    const { width, height } = picture;
    const hasAlpha = picture.hasAlpha || findMask(picture, elements) !== undefined;
    return { width, height, pages, depth: 8, hasAlpha };
  },
  decode(bytes, { page, maxPixels }) {
    const { picture, elements } = open(bytes, page);
    const { coding, data } = picture;
    if (coding === 'png' || coding === 'jp2') return { embedded: { format: coding, bytes: data } };
    checkPixels(picture, maxPixels);
    return { bitmap: decodePixels({ ...picture, coding }, elements) };
  },
};

function open(bytes: Uint8Array, page: number): { picture: IconImage; elements: Elements; pages: number } {
  const elements = readElements(bytes);
  const pictures = findImages(elements);
  if (pictures.length === 0) throw corruptImage(FORMATS.icns.name, 'no picture');
  const picture = pictures[page - 1];
  if (!picture) throw pageOutOfRange(page, pictures.length);
  return { picture, elements, pages: pictures.length };
}
