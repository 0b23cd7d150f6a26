/** Reads Apple icons. Page 1 is the best image, whatever the order in the file. */
import { checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { FORMATS } from '../registry.ts';
import { type Elements, findImages, type IconImage, readElements } from './elements.ts';
import { decodePixels, findMask } from './pixels.ts';

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { image, elements, pages } = open(bytes, page);
    const { width, height } = image;
    const hasAlpha = image.hasAlpha || findMask(image, elements) !== undefined;
    return { width, height, pages, depth: 8, hasAlpha };
  },
  decode(bytes, { page, maxPixels }) {
    const { image, elements } = open(bytes, page);
    const { coding, data } = image;
    if (coding === 'png' || coding === 'jp2') return { embedded: { format: coding, bytes: data } };
    checkPixels(image, maxPixels);
    return { bitmap: decodePixels({ ...image, coding }, elements) };
  },
};

function open(bytes: Uint8Array, page: number): { image: IconImage; elements: Elements; pages: number } {
  const elements = readElements(bytes);
  const images = findImages(elements);
  if (images.length === 0) throw corruptImage(FORMATS.icns.name, 'no image');
  const image = images[page - 1];
  if (!image) throw pageOutOfRange(page, images.length);
  return { image, elements, pages: images.length };
}
