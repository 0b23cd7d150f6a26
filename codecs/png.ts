import { startKernels } from './kernels/kernels.ts';
import type { Modules } from './modules.ts';
import type { DecodedPixels, PixelRequest } from './picture.ts';
import { decodePng } from './png/decode.ts';
import type { Image } from './vips.ts';

/** Encodes every sample as it is, 8 or 16 bits. Figures behind the settings: bench/encoders.md. */
export function encodePng(image: Image): Uint8Array {
  return image.pngsaveBuffer({ compression: 6, filter: 'all', keep: 'none' });
}

/** As {@link encodePng}, for drawings and screenshots: filters only disturb runs of equal pixels. */
export function encodeFlatPng(image: Image): Uint8Array {
  return image.pngsaveBuffer({ compression: 9, filter: 'none', keep: 'none' });
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
