import type { Image } from './vips.ts';

export interface JpegSettings {
  /** 1 to 100. */
  quality: number;
  /** Half the colour resolution in both directions; 4:4:4 without. */
  subsample: boolean;
  /** Spend time on a smaller file of the same quality: trellis quantisation and progressive scans. */
  thorough: boolean;
}

/** Encodes with mozjpeg. Figures behind the settings: bench/encoders.md. */
export function encodeJpeg(image: Image, { quality, subsample, thorough }: JpegSettings): Uint8Array {
  return image.jpegsaveBuffer({
    Q: quality,
    subsample_mode: subsample ? 'on' : 'off',
    optimize_coding: true,
    // Table 3 of mozjpeg (ImageMagick's, by N. Robidoux) is 4 % smaller at equal quality and costs nothing.
    quant_table: 3,
    trellis_quant: thorough,
    interlace: thorough,
    keep: 'none',
  });
}
