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
