/** Reads images of the Amiga and related formats: bitplanes, indices, true colour, one or several in a file. */
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import type { Size } from '../../size.ts';
import { findImages, type IffImage, readPicture } from './chunks.ts';
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
    const picture = open(bytes, page);
    checkPixels(picture, maxPixels);
    return { bitmap: picture.decode() };
  },
};

function open(bytes: Uint8Array, page: number): Opened {
  if (isMaya(bytes)) {
    if (page > 1) throw pageOutOfRange(page, 1);
    return { pages: 1, ...readMayaHeader(bytes), decode: () => decodeMaya(bytes) };
  }
  const pictures = findImages(bytes);
  if (pictures.length === 0) throw corruptImage(NAME, 'no picture');
  const place = pictures[page - 1];
  if (!place) throw pageOutOfRange(page, pictures.length);
  return { pages: pictures.length, ...openPicture(readPicture(place)) };
}

function openPicture(picture: IffImage): Omit<Opened, 'pages'> {
  if (picture.type === 'DEEP') return { ...readDeepHeader(picture), decode: () => decodeDeep(picture) };
  if (picture.type === 'RGB8' || picture.type === 'RGBN') {
    return { ...readHeader(picture), hasAlpha: false, decode: () => decodeImpulse(picture) };
  }
  return { ...probeIlbm(picture), decode: () => decodeIlbm(picture) };
}
