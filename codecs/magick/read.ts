/** The reader of the long tail, through ImageMagick. 8 bits per sample: its WebAssembly build has no deeper ones. */
import type { IMagickImage } from '@imagemagick/magick-wasm';
import { type Bitmap, checkPixels } from '../bitmap.ts';
import { pageOutOfRange } from '../errors.ts';
import type { FormatReader } from '../format-reader.ts';
import { orient, uprightSize } from '../orient.ts';
import { CODERS, type MagickInput } from './coders.ts';
import { type Magick, startMagick } from './engine.ts';
import { withPictures } from './pictures.ts';
import { bitmapOf } from './samples.ts';

/** What the headers say of one page. */
interface Page {
  /** As stored. */
  width: number;
  height: number;
  orientation: number;
  alpha: boolean;
  pages: number;
}

/** The reader of one format, for files that bear its signature. */
export function magickReader(format: MagickInput): FormatReader {
  return {
    async probe(bytes, { page }) {
      const magick = await startMagick();
      const found = findPage(magick, bytes, format, page);
      return { ...uprightSize(found, found.orientation), pages: found.pages, depth: 8, hasAlpha: found.alpha };
    },
    async decode(bytes, { page, maxPixels }, { vips }) {
      const magick = await startMagick();
      const found = findPage(magick, bytes, format, page);
      checkPixels(found, maxPixels);
      const each = CODERS[format].pages === 'each';
      const request = { format, ping: false, frame: each ? page - 1 : 0 };
      const bitmap: Bitmap = withPictures(magick, bytes, request, ({ damaged }, image) => ({
        ...bitmapOf(magick, vips, image, found.alpha),
        ...(damaged ? { truncated: true } : {}),
      }));
      return { bitmap: orient(bitmap, found.orientation) };
    },
  };
}

/** @throws Failure `corrupt_image`, `page_out_of_range` */
function findPage(magick: Magick, bytes: Uint8Array, format: MagickInput, page: number): Page {
  const each = CODERS[format].pages === 'each';
  const request = { format, ping: true, frame: each ? undefined : 0 };
  return withPictures(magick, bytes, request, ({ images }) => {
    const pages = each ? images.length : 1;
    const image: IMagickImage | undefined = images[page - 1];
    if (page > pages || !image) throw pageOutOfRange(page, pages);
    const { width, height, orientation, hasAlpha } = image;
    return { width, height, orientation, alpha: hasAlpha, pages };
  });
}
