/**
 * Converts images inside a drawing, given as data URLs (RFC 2397). resvg reads JPEG, PNG, GIF and SVG; browsers read
 * more.
 */

import { loadCodec } from '../formats/codecs.ts';
import { FORMATS, WEB_FORMATS } from '../formats/registry.ts';
import type { Loader } from '../loader.ts';
import { sniff } from '../sniff.ts';
import { isDecodeError, WHOLE_IMAGE } from '../source.ts';
import type { VipsApi } from '../vips.ts';
import { toWorkingSpace } from '../working-space.ts';

const DATA_URL = /data:[\w.+/-]{0,100};base64,([A-Za-z0-9+/=\s]+)/g;
const SIGNATURE_CHARACTERS = 64;
/** Formats that browsers draw and resvg does not. */
const CONVERTED_FORMATS = WEB_FORMATS.filter((id) => FORMATS[id].web?.age === 'modern' && FORMATS[id].web?.everywhere);
const MAX_PIXELS = 50_000_000;

/**
 * Replaces WebP and AVIF images in the markup by PNG. Images that cannot be read, or exceed the limit, are kept and not
 * drawn.
 * @param maxPixels limit for all of them together
 */
export async function convertEmbeddedImages(markup: string, vips: VipsApi, maxPixels = MAX_PIXELS): Promise<string> {
  if (!markup.includes('data:')) return markup;
  const loaders = new Map<string | undefined, Loader | undefined>();
  for (const id of CONVERTED_FORMATS) loaders.set(id, (await loadCodec(id)).loader);
  let pixelsLeft = maxPixels;
  return markup.replace(DATA_URL, (address, base64: string) => {
    const format = sniff(Buffer.from(base64.slice(0, SIGNATURE_CHARACTERS), 'base64'));
    const loader = loaders.get(format);
    if (!loader) return address;
    try {
      const image = loader.load(vips, Buffer.from(base64, 'base64'), {
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
