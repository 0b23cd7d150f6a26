/** Cuts the subject out at full size, in colours of its own. */
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Box } from '../parameters.ts';
import { alphaOf, type EdgeOptions } from './alpha.ts';
import { Enlarged, type Field, fieldOf, fillIn, inside } from './field.ts';
import type { Mask } from './mask.ts';
import { scaled } from './scale.ts';
import { fromStrips, type Strip, samplesOfRows } from './strips.ts';

/** A photo and its transparency apart, 8 bits. */
export interface Layers {
  /** RGB. */
  photo: Image;
  /** Of the file itself, one channel; undefined when all of it is opaque. */
  opacity: Image | undefined;
}

export function layersOf(frame: Image): Layers {
  const rgb = toRgb(frame);
  if (!hasAlpha(rgb)) return { photo: rgb, opacity: undefined };
  return { photo: rgb.extractBand(0, { n: 3 }), opacity: rgb.extractBand(3) };
}

export interface CutOut {
  /** sRGB with alpha, 8 bits, as large as the photo. */
  image: Image;
  /** What there is of the background, filled in where the subject was; small. */
  background: Field;
  /** The smallest box with all that can be seen; undefined when nothing can. */
  subject: Box | undefined;
}

export function cutOut(vips: VipsApi, layers: Layers, mask: Mask, options: EdgeOptions): CutOut {
  const alpha = alphaOf(vips, layers.photo, mask, options);
  const { foreground, background } = estimateColours(vips, layers.photo, alpha);
  const bounds = new Bounds();
  const image = separate(vips, { ...layers, alpha, foreground, background }, bounds);
  return { image, background, subject: bounds.box };
}

/** Longest side, in pixels, of the small pictures of the two colours, which vary slowly. */
const COLOURS_SIDE = 1024;
/** How much of a pixel has to be of one side before its colour counts as the colour of that side. */
const PURE = 0.9;

/** The colours of the subject and of the background everywhere, each filled in from where there is nothing else. */
function estimateColours(vips: VipsApi, photo: Image, alpha: Image): { foreground: Field; background: Field } {
  const size = inside(photo, COLOURS_SIDE);
  const colours = fieldOf(scaled(vips, photo, size));
  const shares = fieldOf(scaled(vips, alpha, size));
  const pure = (share: number) => Math.max(0, (share - PURE) / (1 - PURE));
  const weights = (known: (share: number) => number): Field => ({ ...shares, data: shares.data.map(known) });
  return {
    foreground: fillIn(
      colours,
      weights((share) => pure(share)),
    ),
    background: fillIn(
      colours,
      weights((share) => pure(1 - share)),
    ),
  };
}

interface Separation extends Layers {
  alpha: Image;
  foreground: Field;
  background: Field;
}

/**
 * Gives each pixel of the edge the colour that the subject has there, without what shines through of the background: what
 * the two estimates do not explain is the subject's own detail (Forte, "Approximate Fast Foreground Colour Estimation",
 * ICIP 2021, equation 6).
 */
function separate(vips: VipsApi, { photo, opacity, alpha, ...colours }: Separation, bounds: Bounds): Image {
  const { width } = photo;
  const foreground = new Enlarged(colours.foreground, photo);
  const background = new Enlarged(colours.background, photo);
  return fromStrips(vips, photo, 4, (strip: Strip) => {
    const seen = samplesOfRows(photo, strip);
    const shares = samplesOfRows(alpha, strip);
    const opaque = opacity && samplesOfRows(opacity, strip);
    const result = new Uint8ClampedArray(width * strip.rows * 4);
    for (let y = 0, at = 0; y < strip.rows; y += 1) {
      foreground.select(strip.top + y);
      background.select(strip.top + y);
      for (let x = 0; x < width; x += 1, at += 1) {
        const alpha = shares[at]!;
        if (alpha === 0) continue;
        const share = alpha / 255;
        for (let channel = 0; channel < 3; channel += 1) {
          const sample = seen[3 * at + channel]!;
          if (alpha === 255) {
            result[4 * at + channel] = sample;
            continue;
          }
          const own = foreground.at(x, channel) * 255;
          const mixed = share * own + (1 - share) * background.at(x, channel) * 255;
          result[4 * at + channel] = own + share * (sample - mixed);
        }
        result[4 * at + 3] = opaque ? share * opaque[at]! : alpha;
        bounds.add(x, strip.top + y, result[4 * at + 3]!);
      }
    }
    return new Uint8Array(result.buffer);
  });
}

/** Opacity from which on a pixel can be seen. */
const VISIBLE = 16;

/** Grows to the smallest box around what can be seen. */
class Bounds {
  #left = Number.POSITIVE_INFINITY;
  #right = -1;
  #top = -1;
  #bottom = -1;

  /** Pixels come row by row. */
  add(x: number, y: number, alpha: number): void {
    if (alpha < VISIBLE) return;
    if (x < this.#left) this.#left = x;
    if (x > this.#right) this.#right = x;
    if (this.#top < 0) this.#top = y;
    this.#bottom = y;
  }

  get box(): Box | undefined {
    if (this.#right < 0) return undefined;
    return {
      x: this.#left,
      y: this.#top,
      width: this.#right - this.#left + 1,
      height: this.#bottom - this.#top + 1,
    };
  }
}
