import { toRgb, withAlpha } from '../../colour.ts';
import { frameReader } from '../../frame-reader.ts';
import { MAX_OWN_FRAME_PIXELS } from '../../gif/limits.ts';
import { writeGif } from '../../gif/write.ts';
import { playedDelays } from '../../played-delays.ts';
import type { Image } from '../../vips.ts';

export interface GifSettings {
  /** 1 to 100. Lower values mean fewer colours and more tolerance between frames. */
  quality: number;
}

/**
 * Encodes with a palette of at most 256 colours.
 * @param column the frames, stacked vertically
 */
export function encodeGif(column: Image, { quality }: GifSettings): Uint8Array {
  // 256 colours down to quality 60, then half as many for every 12 points.
  const bitdepth = Math.max(3, Math.min(8, 8 - Math.ceil((60 - quality) / 12)));
  // Largest difference between frames that is not written: 0 at quality 100, up to 8 of 255 at quality 1.
  const tolerance = ((100 - quality) / 99) * 8;
  const { width } = column;
  const animated = column.getTypeof('page-height') !== 0;
  const height = animated ? column.getInt('page-height') : column.height;
  if (width * height > MAX_OWN_FRAME_PIXELS) {
    return column.gifsaveBuffer({ bitdepth, interframe_maxerror: tolerance, dither: 1, effort: 7, keep: 'none' });
  }
  return writeGif(
    {
      width,
      height,
      delays: animated ? playedDelays(column.getArrayInt('delay')) : [0],
      loop: animated ? column.getInt('loop') : null,
      read: frameReader(withAlpha(toRgb(column)), height),
    },
    { colours: 2 ** bitdepth, tolerance },
  );
}
