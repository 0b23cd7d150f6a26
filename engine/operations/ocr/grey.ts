/** Converts a decoded image to grey pixels for text detection. */
import { hasAlpha } from '../../../codecs/colour.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { GreyImage } from '../../../models/text.ts';

/** Larger images are reduced: more text could not be read in time. */
const PIXELS_MAX = 60_000_000;

/** @param frame sRGB or grey, 8 bits, optionally with alpha */
export function toGrey(frame: Image): GreyImage {
  const scale = Math.sqrt(PIXELS_MAX / (frame.width * frame.height));
  const grey = (scale < 1 ? frame.resize(scale) : frame).colourspace('b-w');
  const { width, height } = grey;
  const samples = grey.writeToMemory() as Uint8Array;
  return { data: hasAlpha(grey) ? flatten(samples) : samples, width, height };
}

/**
 * Flattens transparency onto white. Only an image that is mostly transparent, with light visible pixels, was made for a
 * dark background: it is flattened onto black, because light text on white is unreadable.
 */
function flatten(samples: Uint8Array): Uint8Array {
  const count = samples.length / 2;
  let opacity = 0;
  let light = 0;
  for (let at = 0; at < samples.length; at += 2) {
    opacity += samples[at + 1]!;
    light += samples[at]! * samples[at + 1]!;
  }
  const paper = opacity < 127 * count && light > MIN_LIGHT_BRIGHTNESS * opacity ? 0 : 255;
  const data = new Uint8Array(count);
  for (let pixel = 0; pixel < count; pixel++) {
    const alpha = samples[2 * pixel + 1]! / 255;
    data[pixel] = Math.round(samples[2 * pixel]! * alpha + paper * (1 - alpha));
  }
  return data;
}

/** Mean brightness above which text is unreadable on white. */
const MIN_LIGHT_BRIGHTNESS = 160;
