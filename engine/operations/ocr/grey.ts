/** From a decoded picture to the grey pixels that text is looked for in. */
import { hasAlpha } from '../../../codecs/colour.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { GreyImage } from '../../../models/text.ts';

/** More pixels than this hold no more text that can be read in time. */
const PIXELS_MAX = 60_000_000;

/** @param frame sRGB or grey, 8 bits, perhaps with alpha */
export function toGrey(frame: Image): GreyImage {
  const scale = Math.sqrt(PIXELS_MAX / (frame.width * frame.height));
  const grey = (scale < 1 ? frame.resize(scale) : frame).colourspace('b-w');
  const { width, height } = grey;
  const samples = grey.writeToMemory() as Uint8Array;
  return { data: hasAlpha(grey) ? painted(samples) : samples, width, height };
}

/**
 * Puts paper behind what is see-through: white, as everywhere. Only a picture that is mostly see-through and light in what
 * it shows was made for a dark ground, and on white nobody could read it.
 */
function painted(samples: Uint8Array): Uint8Array {
  const count = samples.length / 2;
  let opacity = 0;
  let light = 0;
  for (let at = 0; at < samples.length; at += 2) {
    opacity += samples[at + 1]!;
    light += samples[at]! * samples[at + 1]!;
  }
  const paper = opacity < 127 * count && light > LIGHT * opacity ? 0 : 255;
  const data = new Uint8Array(count);
  for (let pixel = 0; pixel < count; pixel++) {
    const alpha = samples[2 * pixel + 1]! / 255;
    data[pixel] = Math.round(samples[2 * pixel]! * alpha + paper * (1 - alpha));
  }
  return data;
}

/** Mean brightness above which writing does not show on white. */
const LIGHT = 160;
