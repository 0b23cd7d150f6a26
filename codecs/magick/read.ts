/**
 * The reader for rare formats, based on ImageMagick. 8 bits per sample, because its WebAssembly build has no deeper
 * ones.
 */
import type { IMagickImage, IMagickImageCollection } from '@imagemagick/magick-wasm';
import { type Bitmap, checkPixels } from '../bitmap.ts';
import { corruptImage, imageTooLarge, pageOutOfRange } from '../errors.ts';
import type { FormatReader } from '../format-reader.ts';
import { FORMATS, type MagickInput } from '../formats/registry.ts';
import { orient, uprightSize } from '../orient.ts';
import type { VipsApi } from '../vips.ts';
import { CODERS, nameOf } from './coders.ts';
import { type Magick, releaseMagick, startMagick } from './engine.ts';
import { type LoadRequest, withImages } from './images.ts';
import { bitmapOf } from './samples.ts';

/** The header data of one page. */
interface Page {
  /** As stored. */
  width: number;
  height: number;
  orientation: number;
  alpha: boolean;
  /** Bits per sample. */
  depth: number;
  pages: number;
}

/** The samples of ImageMagick, and the copy that it returns. */
const WORKING_BYTES_PER_PIXEL = 8;

/** Creates a reader for one format, for files with its signature. */
export function magickReader(format: MagickInput): FormatReader {
  return {
    async probe(bytes, { page }) {
      const magick = await startMagick();
      const found = findPage(magick, bytes, format, page);
      const { working = WORKING_BYTES_PER_PIXEL } = CODERS[format];
      return {
        ...uprightSize(found, found.orientation),
        pages: found.pages,
        depth: 8,
        storedDepth: FORMATS[format].readFacts?.(bytes, page).colour?.bitDepth ?? found.depth,
        hasAlpha: found.alpha,
        workingBytes: found.width * found.height * working,
      };
    },
    async decode(bytes, { page, maxPixels }, { vips }) {
      const magick = await startMagick();
      const found = findPage(magick, bytes, format, page);
      checkPixels(found, maxPixels);
      try {
        return { bitmap: orient(decodePage(magick, vips, bytes, format, found, page), found.orientation) };
      } finally {
        await releaseMagick();
      }
    },
  };
}

/** ImageMagick spends 25 ns on each pixel, decoded or not. */
const MAX_DECLARED_PIXELS = 200_000_000;

/** @throws Failure `corrupt_image`, `page_out_of_range`, `image_too_large` */
function findPage(magick: Magick, bytes: Uint8Array, format: MagickInput, page: number): Page {
  const { pages: kind, alpha, claims } = CODERS[format];
  const claimed = claims?.(bytes) ?? 0;
  if (claimed > MAX_DECLARED_PIXELS)
    throw imageTooLarge(`${MAX_DECLARED_PIXELS} pixels in all pages`, `${claimed} pixels`);
  const paged = kind === 'each' || kind === 'animation';
  return withImages(magick, bytes, { format, ping: true }, ({ images }, first) => {
    const pages = paged ? images.length : 1;
    if (page > pages) throw pageOutOfRange(page, pages);
    const image: IMagickImage = images[page - 1] ?? first;
    const { width, height } = kind === 'animation' ? canvasOf(first, format) : image;
    const { orientation, depth } = image;
    return { width, height, orientation, alpha: alpha?.(bytes) ?? image.hasAlpha, depth, pages };
  });
}

/** Returns the size of the canvas for the frames. */
function canvasOf({ page, width, height }: IMagickImage, format: MagickInput): { width: number; height: number } {
  const canvas = page.width > 0 && page.height > 0 ? page : { width, height };
  if (canvas.width === 0 || canvas.height === 0) throw corruptImage(nameOf(format));
  return { width: canvas.width, height: canvas.height };
}

function decodePage(
  magick: Magick,
  vips: VipsApi,
  bytes: Uint8Array,
  format: MagickInput,
  found: Page,
  page: number,
): Bitmap {
  const { pages: kind } = CODERS[format];
  return withImages(magick, bytes, requestOf(format, page), ({ images, damaged }, first) => {
    const bitmap = bitmapOf(magick, vips, kind === 'animation' ? composeFrame(images, page) : first, found.alpha);
    return damaged ? { ...bitmap, truncated: true } : bitmap;
  });
}

function requestOf(format: MagickInput, page: number): LoadRequest {
  const request = { format, ping: false };
  switch (CODERS[format].pages) {
    case 'each':
      return { ...request, frame: page - 1 };
    case 'first':
      return { ...request, frame: 0 };
    case 'animation':
      return { ...request, framesBelow: page };
    default:
      return request;
  }
}

function composeFrame(images: IMagickImageCollection, page: number): IMagickImage {
  images.coalesce();
  const image = images[page - 1];
  if (!image) throw new Error('ImageMagick has fewer frames than it has said');
  return image;
}
