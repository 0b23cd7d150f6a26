/** Pictures to PNG files, and back. */
import { freeBuffer } from '../base/free-buffer.ts';
import { startKernels } from './kernels/kernels.ts';
import type { Modules } from './modules.ts';
import { type DecodedPixels, isSequential, type PixelRequest } from './picture.ts';
import { readRows, wholePixels } from './pixel-rows.ts';
import { decodePng } from './png/decode.ts';
import { type PngEffort, PngEncoder } from './png/encode.ts';
import { type Kept, layoutsOf, type PixelFormat, PixelObserver, type PngLayout, plainLayout } from './png/layout.ts';
import type { Image, VipsApi } from './vips.ts';

/** Pictures in which a palette may take more bytes than it saves: both ways are tried. */
const MAX_COMPARED_PIXELS = 64 * 64;

export interface PngSettings extends Kept, PngEffort {
  /** The bands stay, and there is no palette, for readers that want it so. Default: false. */
  plain?: boolean;
}

/**
 * Encodes every pixel as it is, 8 or 16 bits, in the smallest of the ways to write pixels that PNG has; one that is read once stays in its own.
 * @throws a libvips error for pixels that cannot be decoded
 */
export function encodePng(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  image: Image,
  { plain = false, maxOptimalBytes, ...kept }: PngSettings = {},
): Uint8Array {
  const { width, height } = image;
  const format: PixelFormat = {
    bands: image.bands as PixelFormat['bands'],
    depth: String(image.format) === 'uchar' ? 8 : 16,
  };
  const data = wholePixels(image);
  const read = (take: (part: Uint8Array) => void) => (data ? take(data) : readRows(vips, image, take));
  const kernels = startKernels(modules);
  kernels.free();
  let layouts: PngLayout[] = [plainLayout(format)];
  if (!plain && (data || !isSequential(image))) {
    const observer = new PixelObserver(kernels, format);
    read((part) => observer.observe(part));
    layouts = layoutsOf(observer.facts, format, kept);
    if (width * height > MAX_COMPARED_PIXELS) layouts.length = 1;
  }
  const blocks = kernels.end;
  const files = layouts.map((layout) => {
    kernels.free(blocks);
    const encoder = new PngEncoder(kernels, { width, height }, format, layout, maxOptimalBytes);
    read((part) => encoder.push(part));
    return encoder.finish();
  });
  if (data) freeBuffer(data.buffer);
  return files.reduce((least, file) => (file.length < least.length ? file : least));
}

export interface PaletteSettings {
  /** 1 to 100, on the scale of libimagequant. */
  quality: number;
  /** Spread the error of the missing colours; off keeps flat areas flat. */
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

/** Pictures that are decoded as a whole: their pixels, and the bytes of their samples. */
const MAX_WHOLE_PIXELS = 16_000_000;
const MAX_WHOLE_BYTES = 4 * MAX_WHOLE_PIXELS;

/** @returns undefined for a file that libvips is to decode: too large, damaged, or unusual */
export function decodePngPixels(
  modules: Modules,
  bytes: Uint8Array,
  { width, height }: PixelRequest,
): DecodedPixels | undefined {
  if (width * height > MAX_WHOLE_PIXELS) return undefined;
  return decodePng(startKernels(modules), bytes, { width, height, maxBytes: MAX_WHOLE_BYTES });
}
