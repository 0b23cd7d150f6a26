/**
 * Layers in codings of other formats, which libvips decodes: JPEG and fax (DjVu 3 Specification, 2005, section 8.3.13).
 */
import type { Size } from '../../../base/geometry.ts';
import type { Shrink } from '../../shrink.ts';
import { isDecodeError } from '../../source.ts';
import type { VipsApi } from '../../vips.ts';
import { type FaxStrips, readFaxHeader, wrapFax } from './fax.ts';
import { createMask, type Mask } from './mask.ts';
import { type Raster, reductionOf } from './raster.ts';

/** The decoded part, and whether something is missing. */
export type Decoded<T> = T & { truncated: boolean };

/**
 * Decodes a BGjp or FGjp chunk; undefined if it cannot be read or its size does not fit the page.
 * @param shrinkOf returns how many times smaller to decode a layer, given how many times smaller than its page it is
 * @returns the layer; `reduction` is how many times smaller than the page it was decoded
 */
export function decodeJpegLayer(
  vips: VipsApi,
  data: Uint8Array,
  page: Size,
  shrinkOf: (reduction: number) => Shrink,
): Decoded<Raster & { reduction: number }> | undefined {
  return decode((strictness) => {
    const whole = vips.Image.jpegloadBuffer(data, strictness);
    const reduction = reductionOf(whole, page);
    if (!reduction) return undefined;
    const shrink = shrinkOf(reduction);
    const image = shrink === 1 ? whole : vips.Image.jpegloadBuffer(data, { ...strictness, shrink });
    const grey = image.bands === 1;
    const samples = (grey ? image : image.colourspace('srgb')).writeToMemory() as Uint8Array;
    return {
      data: samples,
      width: image.width,
      height: image.height,
      channels: grey ? 1 : 3,
      reduction: reduction * shrink,
    };
  });
}

/** Decodes an Smmr chunk; undefined when nothing can be read or its size differs from that of the page. */
export function decodeFaxMask(vips: VipsApi, data: Uint8Array, page: Size): Decoded<Mask> | undefined {
  const fax = readFaxHeader(data);
  if (fax?.width !== page.width || fax.height !== page.height) return undefined;
  const tiff = wrapFax(fax);
  return decode((strictness) => {
    const image = vips.Image.tiffloadBuffer(tiff, strictness);
    if (image.width !== fax.width || image.height !== fax.height || image.bands !== 1) return undefined;
    return maskOf(image.writeToMemory() as Uint8Array, fax);
  });
}

function maskOf(samples: Uint8Array, { width, height, inverted }: FaxStrips): Mask {
  const mask = createMask(width, height);
  for (let y = 0, read = 0; y < height; y++) {
    const row = y * mask.stride;
    for (let x = 0; x < width; x++, read++) {
      if ((samples[read] === 0) !== inverted) mask.words[row + (x >> 5)]! |= 1 << (x & 31);
    }
  }
  return mask;
}

/** Decodes strictly, and after an error again as far as possible. */
function decode<T>(load: (strictness: Strictness) => T | undefined): Decoded<T> | undefined {
  for (const strictness of [{ fail_on: 'warning' }, { fail_on: 'none' }] as const) {
    try {
      const decoded = load(strictness);
      return decoded && { ...decoded, truncated: strictness.fail_on === 'none' };
    } catch (error) {
      if (!isDecodeError(error)) throw error;
    }
  }
  return undefined;
}

interface Strictness {
  fail_on: 'warning' | 'none';
}
