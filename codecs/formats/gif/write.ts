import { toRgb, withAlpha } from '../../colour.ts';
import { MAX_OWN_FRAME_PIXELS } from '../../gif/limits.ts';
import { writeGif } from '../../gif/write.ts';
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
      delays: animated ? column.getArrayInt('delay') : [0],
      loop: animated ? column.getInt('loop') : null,
      read: frameReader(withAlpha(toRgb(column)), height),
    },
    { colours: 2 ** bitdepth, tolerance },
  );
}

/** Frames of up to this size together are read at once. Larger ones are read alone. */
const MAX_READ_BYTES = 4 * 2 ** 20;

/**
 * Returns a function that reads a frame, which the encoder does several times for each and mostly in order. libvips
 * takes a millisecond for every reading, and more if the frames are images of their own: 1,024 frames of one pixel took
 * 20 s.
 * @param column RGBA frames, stacked vertically; if its rows can be read only once, there is one frame
 */
function frameReader(column: Image, height: number): (index: number) => Uint8Array {
  const { width } = column;
  const frames = column.height / height;
  const frameBytes = width * height * column.bands;
  const perRead = Math.max(1, Math.floor(MAX_READ_BYTES / frameBytes));
  let first = Number.NaN;
  let pixels: Uint8Array = new Uint8Array();
  return (index) => {
    const start = index - (index % perRead);
    if (start !== first) {
      const part = column.crop(0, start * height, width, Math.min(perRead, frames - start) * height);
      pixels = part.writeToMemory() as Uint8Array;
      first = start;
    }
    return pixels.subarray((index - start) * frameBytes, (index - start + 1) * frameBytes);
  };
}
