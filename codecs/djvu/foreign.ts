/** Layers in codings of other formats, which libvips decodes: JPEG, and fax (DjVu 3 Specification, 2005, section 8.3.13). */
import { isDecodeError } from '../source.ts';
import type { VipsApi } from '../vips.ts';
import { type FaxStrips, readFaxHeader, wrapFax } from './fax.ts';
import { createMask, type Mask } from './mask.ts';
import { type Raster, reductionOf, type Size } from './raster.ts';

/** A BGjp or FGjp chunk; undefined where it cannot be decoded or has no size that fits the page. */
export function decodeJpegLayer(vips: VipsApi, data: Uint8Array, page: Size): Raster | undefined {
  return orUndefined(() => {
    const image = vips.Image.jpegloadBuffer(data);
    if (!reductionOf(image, page)) return undefined;
    const grey = image.bands === 1;
    const samples = (grey ? image : image.colourspace('srgb')).writeToMemory() as Uint8Array;
    return { data: samples, width: image.width, height: image.height, channels: grey ? 1 : 3 };
  });
}

/** An Smmr chunk; undefined where it cannot be decoded or is not of the size of the page. */
export function decodeFaxMask(vips: VipsApi, data: Uint8Array, page: Size): Mask | undefined {
  const fax = readFaxHeader(data);
  if (fax?.width !== page.width || fax.height !== page.height) return undefined;
  const pixels = decodeFax(vips, fax);
  if (!pixels) return undefined;
  const mask = createMask(fax.width, fax.height);
  for (let y = 0, read = 0; y < fax.height; y++) {
    const row = y * mask.stride;
    for (let x = 0; x < fax.width; x++, read++) {
      if ((pixels[read] === 0) !== fax.inverted) mask.words[row + (x >> 5)]! |= 1 << (x & 31);
    }
  }
  return mask;
}

/** One byte per pixel, 0 for black. */
function decodeFax(vips: VipsApi, fax: FaxStrips): Uint8Array | undefined {
  return orUndefined(() => {
    const image = vips.Image.tiffloadBuffer(wrapFax(fax));
    const isAsSaid = image.width === fax.width && image.height === fax.height && image.bands === 1;
    return isAsSaid ? (image.writeToMemory() as Uint8Array) : undefined;
  });
}

function orUndefined<T>(decode: () => T | undefined): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return undefined;
  }
}
