/** The facts of the record that need pixels, from one decode at the smallest size that the format allows. */
import { encode } from 'blurhash';
import { Failure } from '../../../base/failure.ts';
import { sampleMax } from '../../../codecs/colour.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import { decode, isDecodeError, type Source, vipsMessage } from '../../../codecs/source.ts';
import { type Image, trackHandles, type VipsApi } from '../../../codecs/vips.ts';
import { fingerprintOfImage, openSmall, smallRequest } from '../../quality/measure.ts';
import { DHASH_SIZE, differenceHash } from './dhash.ts';
import { type Palette, paletteOf, type ReducedImage } from './palette.ts';

export interface PixelFacts {
  /** Of the decoded image, including alpha. */
  channels: number;
  transparent: boolean;
  phash: string;
  dhash: string;
  colors: Palette | null;
  blurhash: string | null;
}

/** Maximum width and height of the reduced version for colours. */
const COLOUR_SIDE = 64;
/** A blurhash has no finer detail. */
const BLURHASH_SIDE = 32;
const BLURHASH_COMPONENTS = { x: 4, y: 3 } as const;
/** A larger decoded image is not kept in memory but decoded again for each measurement. */
const MAX_HELD_BYTES = 64 * 2 ** 20;

const OUT_OF_MEMORY = /out of memory/i;

export interface PixelMeasurement {
  /** Undefined if the image cannot be decoded. */
  facts: PixelFacts | undefined;
  /** Whether the file ends early or cannot be decoded at all. */
  truncated: boolean;
}

/**
 * Decodes the image and measures it, as far as it can be read.
 * @throws Failure `image_too_large` if there is not enough memory
 */
export async function measurePixels(vips: VipsApi, source: Source): Promise<PixelMeasurement> {
  const handles = trackHandles(vips);
  try {
    return { facts: await measure(vips, source, false), truncated: false };
  } catch (error) {
    if (!cannotBeDecoded(error)) throw error;
    // Otherwise the pixels of both attempts would be in memory together.
    handles.free();
  }
  try {
    return { facts: await measure(vips, source, true), truncated: true };
  } catch (error) {
    if (!cannotBeDecoded(error)) throw error;
    return { facts: undefined, truncated: true };
  }
}

function cannotBeDecoded(error: unknown): boolean {
  if (error instanceof Failure) return error.code === 'corrupt_image';
  if (!isDecodeError(error)) return false;
  if (OUT_OF_MEMORY.test(vipsMessage(error))) {
    throw imageTooLarge('as much memory as one request may use', 'an image that needs more');
  }
  return true;
}

async function measure(vips: VipsApi, source: Source, tolerant: boolean): Promise<PixelFacts> {
  const open = async (): Promise<Image> => (await openSmall(source, tolerant)).frames[0];
  const streamed = source.streams ? await open() : undefined;
  const inMemory = !streamed || bytesOf(streamed) <= MAX_HELD_BYTES;
  const held = async () =>
    streamed?.copyMemory() ?? (await decode(vips, source, smallRequest(source, tolerant))).frames[0];
  const kept = inMemory ? await held() : streamed;
  // Streamed rows can be read only once.
  let unread = true;
  const next = async (): Promise<Image> => {
    if (inMemory || unread) {
      unread = false;
      return kept;
    }
    return open();
  };
  const phash = fingerprintOfImage(await next());
  const small = colourSamples(await next());
  const opaque = flattened(small.image);
  return {
    channels: kept.bands,
    transparent: kept.hasAlpha() && hasTransparency(await next()),
    phash,
    dhash: differenceHash(scaledTo(opaque.colourspace('b-w').extractBand(0), DHASH_SIZE)),
    colors: paletteOf(small.samples),
    blurhash: blurhashOf(opaque),
  };
}

const bytesOf = ({ width, height, bands }: Image): number => width * height * bands;

const hasTransparency = (image: Image): boolean => image.extractBand(image.bands - 1).min() < sampleMax(image);

const WHITE = 255;

const flattened = (image: Image): Image => (image.hasAlpha() ? image.flatten({ background: WHITE }) : image);

/** The reduced image as RGBA samples, and as a libvips image. */
function colourSamples(image: Image): { samples: ReducedImage; image: Image } {
  // Small images keep their exact colours, and a kernel without overshoot adds none.
  const shrink = (source: Image) =>
    source.resize(Math.min(1, COLOUR_SIDE / image.width), {
      vscale: Math.min(1, COLOUR_SIDE / image.height),
      kernel: 'linear',
    });
  // A cast truncates, which would make fully saturated samples one level too dark.
  const small = image.hasAlpha() ? shrink(image.premultiply()).unpremultiply().rint() : shrink(image);
  const alpha = small.hasAlpha() ? small : small.addalpha();
  const gray = alpha.extractBand(0);
  const rgba = alpha.bands === 2 ? gray.bandjoin([gray, gray, alpha.extractBand(1)]) : alpha;
  const memory = rgba.cast('uchar').copy({ interpretation: 'srgb' }).copyMemory();
  return {
    samples: { data: memory.writeToMemory() as Uint8Array, width: memory.width, height: memory.height },
    image: memory,
  };
}

const scaledTo = (image: Image, { width, height }: { width: number; height: number }): Uint8Array =>
  image
    .resize(width / image.width, { vscale: height / image.height })
    .cast('uchar')
    .writeToMemory() as Uint8Array;

function blurhashOf(opaque: Image): string {
  const side = { width: BLURHASH_SIDE, height: BLURHASH_SIDE };
  const rgb = scaledTo(opaque, side);
  const rgba = new Uint8ClampedArray(BLURHASH_SIDE * BLURHASH_SIDE * 4);
  for (let pixel = 0; pixel < BLURHASH_SIDE * BLURHASH_SIDE; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) rgba[pixel * 4 + channel] = rgb[pixel * 3 + channel]!;
    rgba[pixel * 4 + 3] = WHITE;
  }
  return encode(rgba, BLURHASH_SIDE, BLURHASH_SIDE, BLURHASH_COMPONENTS.x, BLURHASH_COMPONENTS.y);
}
