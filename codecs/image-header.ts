/** Makes headers and images of facts and decoded pixels, for the sources of libvips and of our own decoders. */
import { freeBuffer } from '../base/free-buffer.ts';
import { ICC_FIELD } from './colour.ts';
import type { DecodedPixels, Header, ImageFacts } from './decoded-image.ts';
import type { InputFormat } from './formats/registry.ts';
import { uprightSize } from './orient.ts';
import type { Image, VipsApi } from './vips.ts';
import { bytesPerSample } from './vips-memory.ts';

/** libvips' field for the bits per sample of the file. */
export const STORED_BITS_FIELD = 'bits-per-sample';

/** Reads the facts that libvips has read in a header. */
export function factsOf(image: Image): ImageFacts {
  return {
    width: image.width,
    height: image.height,
    bands: image.bands,
    bytesPerSample: bytesPerSample(image.format),
    bitsPerSample: integer(image, STORED_BITS_FIELD),
    interpretation: image.interpretation,
    hasAlpha: image.hasAlpha(),
    interlaced: integer(image, 'interlaced') === 1,
    orientation: integer(image, 'orientation'),
    // A copy, because the image is freed before its pixels are decoded.
    icc: image.getTypeof(ICC_FIELD) === 0 ? undefined : image.getBlob(ICC_FIELD).slice(),
  };
}

/**
 * Makes an image of decoded pixels.
 * @param pixels are freed
 */
export function withFacts(
  vips: VipsApi,
  pixels: DecodedPixels,
  { interpretation, icc, orientation }: ImageFacts,
): Image {
  const { data, width, height, bands, depth } = pixels;
  const isDeep = depth === 16;
  const samples = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  const format = isDeep ? vips.BandFormat.ushort : vips.BandFormat.uchar;
  const image = vips.Image.newFromMemory(samples, width, height, bands, format).copy({ interpretation });
  freeBuffer(data.buffer);
  if (icc) image.setBlob(ICC_FIELD, icc);
  if (orientation !== undefined) image.setInt('orientation', orientation);
  return image;
}

/** Returns a metadata field of an image; undefined if it is not set. */
export const integer = (image: Image, field: string): number | undefined =>
  image.getTypeof(field) === 0 ? undefined : image.getInt(field);

export function headerOf(
  format: InputFormat,
  { width, height, bands, bytesPerSample, bitsPerSample, hasAlpha, interlaced, orientation = 1 }: ImageFacts,
  { pages, timing, animated }: Pick<Header, 'pages' | 'timing' | 'animated'>,
): Header {
  const depth = bytesPerSample === 1 ? 8 : bytesPerSample === 2 ? 16 : 32;
  return {
    format,
    storedWidth: width,
    storedHeight: height,
    ...uprightSize({ width, height }, orientation),
    orientation,
    pages,
    frames: timing ? pages : 1,
    timing,
    animated,
    bytesPerPixel: bands * bytesPerSample,
    depth,
    // A byte may hold fewer bits, or be a number of a palette, whose colours have 8.
    storedDepth: depth === 8 ? depth : (bitsPerSample ?? depth),
    hasAlpha,
    interlaced,
    preview: false,
  };
}

/** Splits the column of frames of an animation. */
export function splitFrames(column: Image, frames: number): [Image, ...Image[]] {
  const height = column.height / frames;
  const frame = (index: number) => column.crop(0, index * height, column.width, height);
  return [frame(0), ...Array.from({ length: frames - 1 }, (_, index) => frame(index + 1))];
}
