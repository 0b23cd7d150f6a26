/** A common reader for formats with a single image: the checks between the header and the pixels. */
import type { Size } from '../../base/geometry.ts';
import { type Bitmap, checkPixels } from '../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../errors.ts';
import type { FormatReader, Probe } from '../format-reader.ts';

export interface StillHeader extends Size {
  depth?: 8 | 16;
  hasAlpha?: boolean;
}

export interface StillFormat<Header extends StillHeader> {
  /** @returns undefined when the header is not of this format */
  readHeader(bytes: Uint8Array, extension: string): Header | undefined;
  /**
   * Called only when width x height is small enough to allocate.
   * @returns undefined when not even one pixel can be read
   */
  readPixels(bytes: Uint8Array, header: Header): Bitmap | undefined;
}

/** Infers the type of the header. */
export const stillFormat = <Header extends StillHeader>(still: StillFormat<Header>): StillFormat<Header> => still;

/** @param name of the format, for errors */
export function stillReader<Header extends StillHeader>(name: string, still: StillFormat<Header>): FormatReader {
  const headerOf = (bytes: Uint8Array, extension: string): Header => {
    const header = still.readHeader(bytes, extension);
    if (!header || !(header.width >= 1 && header.height >= 1)) throw corruptImage(name);
    return header;
  };
  return {
    probe(bytes, { page, extension }) {
      const header = headerOf(bytes, extension);
      if (page > 1) throw pageOutOfRange(page, 1);
      return probeOf(header, 1);
    },
    decode(bytes, { page, extension, maxPixels }) {
      const header = headerOf(bytes, extension);
      if (page > 1) throw pageOutOfRange(page, 1);
      checkPixels(header, maxPixels);
      const bitmap = still.readPixels(bytes, header);
      if (!bitmap) throw corruptImage(name);
      return { bitmap };
    },
  };
}

export const probeOf = ({ width, height, depth = 8, hasAlpha = false }: StillHeader, pages: number): Probe => ({
  width,
  height,
  pages,
  depth,
  hasAlpha,
});
