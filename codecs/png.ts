/** Encodes images as PNG files, and decodes them. */
import { freeBuffer } from '../base/free-buffer.ts';
import { type DecodedPixels, isSequential, type PixelRequest } from './decoded-image.ts';
import { startKernels } from './kernels/kernels.ts';
import type { Modules } from './modules.ts';
import { PixelObserver, pixelBytesOf, pixelFormatOf } from './pixel-facts.ts';
import { readRows, wholePixels } from './pixel-rows.ts';
import { decodePng, MAX_ROW_BYTES } from './png/decode.ts';
import { type PngEffort, PngEncoder } from './png/encode.ts';
import { type LayoutOptions, layoutsOf, type PngLayout, plainLayout } from './png/layout.ts';
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

/** Encodes with a palette of at most 256 colours. */
export function encodePalettePng(image: Image, { quality, dither }: PaletteSettings): Uint8Array {
  return image.pngsaveBuffer({
    palette: true,
    Q: quality,
    dither: dither ? 1 : 0,
    effort: 4,
    compression: 9,
    filter: 'none',
    keep: 'none',
  });
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
