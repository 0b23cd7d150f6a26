/** Encodes images as PNG files, and decodes them. */
import { freeBuffer } from '../base/free-buffer.ts';
import { toBytes, toRgb, withAlpha } from './colour.ts';
import { type DecodedPixels, isSequential, type PixelRequest } from './decoded-image.ts';
import { startKernels } from './kernels/kernels.ts';
import type { Modules } from './modules.ts';
import { PixelObserver, pixelBytesOf, pixelFormatOf } from './pixel-facts.ts';
import { readRows, wholePixels } from './pixel-rows.ts';
import { readChunks } from './png/chunks.ts';
import { decodePng, MAX_ROW_BYTES } from './png/decode.ts';
import { PaletteMapper } from './png/dither.ts';
import { type PngEffort, PngEncoder } from './png/encode.ts';
import { indexLayout, type LayoutOptions, layoutsOf, type PngLayout, plainLayout } from './png/layout.ts';
import type { Image, VipsApi } from './vips.ts';

/** In images up to this size a palette may take more bytes than it saves, so both layouts are tried. */
const MAX_COMPARED_PIXELS = 64 * 64;

export interface PngSettings extends LayoutOptions, PngEffort {
  /** Keep all bands and bits and use no palette, for readers that require it. Default: false. */
  keepLayout?: boolean;
}

/**
 * Encodes every pixel losslessly, in the layout with the fewest bits. An image whose rows can be read only once keeps
 * its layout.
 * @param image grey or RGB, with or without alpha, of 8 or 16 bits
 * @throws a libvips error if the pixels cannot be decoded
 */
export function encodePng(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  image: Image,
  { keepLayout = false, maxOptimalBytes, ...options }: PngSettings = {},
): Uint8Array {
  const { width, height } = image;
  const format = pixelFormatOf(image);
  // The kernels would need memory for ten rows, and their memory never shrinks.
  if (width * pixelBytesOf(format) > MAX_ROW_BYTES)
    return image.pngsaveBuffer({ compression: 6, filter: 'all', keep: 'none' });
  const data = wholePixels(image);
  const read = (take: (part: Uint8Array) => void) => (data ? take(data) : readRows(vips, image, take));
  const kernels = startKernels(modules);
  kernels.free();
  let layouts: PngLayout[] = [plainLayout(format)];
  if (!keepLayout && (data || !isSequential(image))) {
    const observer = new PixelObserver(kernels, format);
    read((part) => observer.observe(part));
    layouts = layoutsOf(observer.facts, format, options);
    if (width * height > MAX_COMPARED_PIXELS) layouts.length = 1;
  }
  const start = kernels.end;
  const files = layouts.map((layout) => {
    kernels.free(start);
    const encoder = new PngEncoder(kernels, { width, height }, format, layout, maxOptimalBytes);
    read((part) => encoder.push(part));
    return encoder.finish();
  });
  if (data) freeBuffer(data.buffer);
  return files.reduce((smallest, file) => (file.length < smallest.length ? file : smallest));
}

export interface PaletteSettings {
  /** 1 to 100, on the scale of libimagequant. */
  quality: number;
  /** Dither to spread the error of missing colours. Off keeps flat areas flat. */
  dither: boolean;
}

/** Rows that are mapped together. */
const MAPPED_ROWS = 64;

/**
 * Encodes with a palette of at most 256 colours, those of libimagequant. The pixels are mapped to them here: the search
 * for the nearest colour of its version 2.4.1 returns wrong ones, in whole areas.
 */
export function encodePalettePng(
  { modules }: { modules: Modules },
  image: Image,
  { quality, dither }: PaletteSettings,
): Uint8Array {
  const { width, height } = image;
  // libvips computes its palette from RGBA in memory, without another copy.
  const pixels = withAlpha(toRgb(toBytes(image))).copyMemory();
  const palette = choosePalette(pixels, quality);
  const mapper = new PaletteMapper(palette, width, dither);
  const kernels = startKernels(modules);
  kernels.free();
  const encoder = new PngEncoder(kernels, { width, height }, { bands: 1, depth: 8 }, indexLayout(palette));
  for (let top = 0; top < height; top += MAPPED_ROWS) {
    const rows = pixels.crop(0, top, width, Math.min(MAPPED_ROWS, height - top));
    encoder.push(mapper.map(rows.writeToMemory() as Uint8Array));
  }
  return encoder.finish();
}

/** Returns at most 256 colours, RGBA, of which libimagequant expects this quality; those that are not opaque first. */
function choosePalette(image: Image, quality: number): Uint8Array {
  const file = image.pngsaveBuffer({
    palette: true,
    Q: quality,
    dither: 0,
    effort: 4,
    compression: 0,
    filter: 'none',
    keep: 'none',
  });
  const { palette, transparency = new Uint8Array(0) } = readChunks(file)!;
  const colours = new Uint8Array((palette!.length / 3) * 4);
  for (let from = 0, to = 0; from < palette!.length; from += 3, to += 4) {
    colours.set(palette!.subarray(from, from + 3), to);
    colours[to + 3] = transparency[to / 4] ?? 255;
  }
  return colours;
}

/** Limits for images that are decoded as a whole: pixels, and bytes of their samples. */
const MAX_WHOLE_PIXELS = 16_000_000;
const MAX_WHOLE_BYTES = 4 * MAX_WHOLE_PIXELS;

/**
 * Decodes a file.
 * @returns undefined for a file that libvips must decode: too large, damaged, or unusual
 */
export function decodePngPixels(
  modules: Modules,
  bytes: Uint8Array,
  { width, height }: PixelRequest,
): DecodedPixels | undefined {
  if (width * height > MAX_WHOLE_PIXELS) return undefined;
  return decodePng(startKernels(modules), bytes, { width, height, maxBytes: MAX_WHOLE_BYTES });
}
