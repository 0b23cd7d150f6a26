/**
 * Converts images inside a drawing, given as data URLs (RFC 2397). resvg reads JPEG, PNG, GIF and SVG; browsers read
 * more.
 */
import { toWorkingSpace } from '../colour.ts';
import type { InputFormat } from '../formats/registry.ts';
import { LOADERS } from '../loaders.ts';
import { sniff } from '../sniff.ts';
import { isDecodeError, WHOLE_IMAGE } from '../source.ts';
import type { VipsApi } from '../vips.ts';

const DATA_URL = /data:[\w.+/-]{0,100};base64,([A-Za-z0-9+/=\s]+)/g;
const SIGNATURE_CHARACTERS = 64;
const CONVERTED_FORMATS: ReadonlySet<InputFormat> = new Set(['webp', 'avif']);
const MAX_PIXELS = 50_000_000;

/**
 * Replaces WebP and AVIF images in the markup by PNG. Images that cannot be read, or exceed the limit, are kept and not
 * drawn.
 * @param maxPixels limit for all of them together
 */
export function convertEmbeddedImages(markup: string, vips: VipsApi, maxPixels = MAX_PIXELS): string {
  let pixelsLeft = maxPixels;
  return markup.replace(DATA_URL, (address, base64: string) => {
    const format = sniff(Buffer.from(base64.slice(0, SIGNATURE_CHARACTERS), 'base64'));
    if (!format || !CONVERTED_FORMATS.has(format)) return address;
    try {
      const image = LOADERS[format]!.load(vips, Buffer.from(base64, 'base64'), {
        page: 1,
        allFrames: false,
        shrink: 1,
        sequential: false,
        tolerant: true,
      });
      pixelsLeft -= image.width * image.height;
      if (pixelsLeft < 0) return address;
      const png = toWorkingSpace(vips, image, WHOLE_IMAGE).image.pngsaveBuffer({ compression: 1, keep: 'none' });
      return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    } catch (error) {
      if (isDecodeError(error)) return address;
      throw error;
    }
  });
}
