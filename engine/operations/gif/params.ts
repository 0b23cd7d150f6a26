/** Declares the parameters of `gif` with their bounds, defaults and descriptions. Main-thread safe. */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import { invalidParameter } from '../../../base/failure.ts';
import { animatedFormat, box, integer } from '../parameters.ts';
import { ANIMATION_FORMATS, milliseconds } from './timeline.ts';

const seconds = () => z.number().min(0);

export const gifParams = z.strictObject({
  crop: described(
    box().optional(),
    'x,y,width,height in pixels of the animation as displayed; applied to every frame.',
    '10,20,300,200',
  ),
  width: described(integer(1, 10_000).optional(), 'Resize to this width, keeping the shape; never enlarges.', 320),
  trim_start: described(seconds().optional(), 'Seconds cut from the start.', 0.5),
  trim_end: described(seconds().optional(), 'Seconds from the start where the animation ends.', 2.5),
  speed: described(integer(25, 400).default(100), 'Percent; no frame is shown for less than 20 ms.', 150),
  reverse: described(z.boolean().default(false), 'Play the animation backwards.', true),
  every: described(integer(1, 4).default(1), "Keep every Nth frame; dropped frames' time goes to the kept one.", 2),
  colours: described(
    integer(2, 256).default(256),
    'Palette size for GIF output; transparency that is seen counts as a colour.',
    64,
  ),
  loop: described(
    integer(0, 65_535).optional(),
    'How often the animation is repeated after it has played once; 0 is for ever. Without it as in the upload.',
    0,
  ),
  lossy: described(
    integer(0, 200).default(0),
    'How far pixels of a GIF may differ to make it smaller, on the scale of gifsicle --lossy; 0 changes none.',
    80,
  ),
  quality: described(
    integer(1, 100).default(75),
    'Quality of WebP, AVIF and JPEG XL; WebP frames are lossy or lossless, whichever is smaller.',
    60,
  ),
  lossless: described(z.boolean().default(false), 'Keep every pixel in WebP, AVIF and JPEG XL.', true),
  format: described(
    animatedFormat(ANIMATION_FORMATS).default('gif'),
    'Output format, animated; png keeps every pixel.',
    'webp',
  ),
});

export type GifParams = z.output<typeof gifParams>;

/**
 * Checks rules that involve several parameters.
 * @throws Failure `invalid_parameter`
 */
export function checkGifParams({ trim_start: start = 0, trim_end: end }: GifParams): void {
  if (end === undefined || milliseconds(end) > milliseconds(start)) return;
  throw invalidParameter(`a time after trim_start (${start} s)`, 'trim_end', end);
}
