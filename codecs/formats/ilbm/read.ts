/** Reads images of the Amiga and related formats: bitplanes, indices, true colour, one or several in a file. */
import type { Size } from '../../../base/geometry.ts';
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { findImages, type IffImage, readImage } from './chunks.ts';
import { decodeDeep, readDeepHeader } from './deep.ts';
import { NAME, readHeader } from './header.ts';
import { decodeIlbm, probeIlbm } from './ilbm.ts';
import { decodeImpulse } from './impulse.ts';
import { decodeMaya, isMaya, readMayaHeader } from './maya.ts';

interface Opened extends Size {
  pages: number;
  hasAlpha: boolean;
  decode(): Bitmap;
}

/** Returns pixels as stored, without correcting the Amiga's pixel shape. Of an animation, returns the first image. */
export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { width, height, pages, hasAlpha } = open(bytes, page);
    return { width, height, pages, depth: 8, hasAlpha };
  },
  decode(bytes, { page, maxPixels }) {
    const image = open(bytes, page);
    checkPixels(image, maxPixels);
    return { bitmap: image.decode() };
  },
};

function open(bytes: Uint8Array, page: number): Opened {
  if (isMaya(bytes)) {
    if (page > 1) throw pageOutOfRange(page, 1);
    return { pages: 1, ...readMayaHeader(bytes), decode: () => decodeMaya(bytes) };
  }
  const images = findImages(bytes);
  if (images.length === 0) throw corruptImage(NAME, 'no image');
  const place = images[page - 1];
  if (!place) throw pageOutOfRange(page, images.length);
  return { pages: images.length, ...openImage(readImage(place)) };
}

function openImage(image: IffImage): Omit<Opened, 'pages'> {
  if (image.type === 'DEEP') return { ...readDeepHeader(image), decode: () => decodeDeep(image) };
  if (image.type === 'RGB8' || image.type === 'RGBN') {
    return { ...readHeader(image), hasAlpha: false, decode: () => decodeImpulse(image) };
  }
  return { ...probeIlbm(image), decode: () => decodeIlbm(image) };
}
