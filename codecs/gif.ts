import type { Image } from './vips.ts';

export interface GifSettings {
  /** 1 to 100: fewer colours and more tolerance between frames towards 1. */
  quality: number;
}

/** The largest side that the format can hold (GIF89a, 16 bits). */
export const GIF_MAX_SIDE = 65_535;

/** Encodes with a palette of at most 256 colours; `column` holds the frames one below the other. */
export function encodeGif(column: Image, { quality }: GifSettings): Uint8Array {
  return column.gifsaveBuffer({
    // 256 colours down to quality 60, then half as many for every 12 points.
    bitdepth: Math.max(3, Math.min(8, 8 - Math.ceil((60 - quality) / 12))),
    // Differences between frames that are not written: none at 100, up to 8 of 255 at 1.
    interframe_maxerror: ((100 - quality) / 99) * 8,
    dither: 1,
    effort: 7,
    keep: 'none',
  });
}
