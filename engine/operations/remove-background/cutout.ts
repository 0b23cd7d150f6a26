/** Cuts the subject out at full size, in colours of its own. */
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { Size } from '../../steps/step.ts';
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

/** @throws Failure `image_too_large` for a picture that is too large to be held with its mask and its cut-out */
export function checkCutOutSize({ limits }: WorkerContext, { width, height }: Size): void {
  if (width * height <= limits.decodedPixels) return;
  throw imageTooLarge(`${limits.decodedPixels} pixels`, `${width} x ${height} pixels`);
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
  const colours = estimateColours(vips, layers.photo, alpha);
  const bounds = new Bounds();
  const trust = options.refine ? TRUST.refined : TRUST.rough;
  const image = separate(vips, { ...layers, ...colours, alpha, trust }, bounds);
  return { image, background: colours.background, subject: bounds.box };
}

/** Longest side, in pixels, of the small pictures of the two colours, which vary slowly. */
const COLOURS_SIDE = 1024;
/** How much of a pixel has to be of one side before its colour counts as the colour of that side. */
const PURE = 0.9;
/** Pixels of the small picture beside the edge that are taken for mixed as well: no mask is exact. */
const MIXED = 2;

/** The least or the most of what is around each pixel; also of pictures that are smaller than the window. */
function ranked(image: Image, which: 'least' | 'most'): Image {
  const { width, height } = image;
  const window = 2 * MIXED + 1;
  const padded = image.embed(MIXED, MIXED, width + 2 * MIXED, height + 2 * MIXED, { extend: 'copy' });
  // First along the rows, then along the columns: the least of the least.
  const index = which === 'least' ? 0 : window - 1;
  return padded.rank(window, 1, index).rank(1, window, index).crop(MIXED, MIXED, width, height);
}

interface Colours {
  /** Of the subject and of the background, everywhere: each filled in from where there is nothing else. */
  foreground: Field;
  background: Field;
  /** One channel: how far a pixel shows the subject alone. */
  purity: Field;
}

function estimateColours(vips: VipsApi, photo: Image, alpha: Image): Colours {
  const size = inside(photo, COLOURS_SIDE);
  const colours = fieldOf(scaled(vips, photo, size));
  const shares = scaled(vips, alpha, size);
  const least = fieldOf(ranked(shares, 'least'));
  const most = fieldOf(ranked(shares, 'most'));
  const pure = (share: number) => Math.max(0, (share - PURE) / (1 - PURE));
  const purity = { ...least, data: least.data.map(pure) };
  return {
    foreground: fillIn(colours, purity),
    background: fillIn(colours, { ...most, data: most.data.map((share) => pure(1 - share)) }),
    purity,
  };
}

/**
 * How much of the detail is kept right at the edge. An edge that is a little out of place has the background's detail,
 * which is worse than none: measured on composites with masks that are one coarse pixel wrong.
 */
const TRUST = { rough: 0.4, refined: 0.8 };

interface Separation extends Layers, Colours {
  alpha: Image;
  trust: number;
}

/**
 * Gives each pixel of the edge the colour that the subject has there, without what shines through of the background: what
 * the two estimates do not explain is the subject's own detail (Forte, "Approximate Fast Foreground Colour Estimation",
 * ICIP 2021, equation 6), and the less of it is kept the nearer the background is.
 */
function separate(vips: VipsApi, { photo, opacity, alpha, trust, ...colours }: Separation, bounds: Bounds): Image {
  const { width } = photo;
  const foreground = new Enlarged(colours.foreground, photo);
  const background = new Enlarged(colours.background, photo);
  const purity = new Enlarged(colours.purity, photo);
  return fromStrips(vips, photo, 4, (strip: Strip) => {
    const seen = samplesOfRows(photo, strip);
    const shares = samplesOfRows(alpha, strip);
    const opaque = opacity && samplesOfRows(opacity, strip);
    const result = new Uint8ClampedArray(width * strip.rows * 4);
    for (let y = 0, at = 0; y < strip.rows; y += 1) {
      foreground.select(strip.top + y);
      background.select(strip.top + y);
      purity.select(strip.top + y);
      for (let x = 0; x < width; x += 1, at += 1) {
        const alpha = shares[at]!;
        if (alpha === 0) continue;
        const share = alpha / 255;
        const pure = purity.at(x, 0);
        for (let channel = 0; channel < 3; channel += 1) {
          const sample = seen[3 * at + channel]!;
          if (pure === 1) {
            result[4 * at + channel] = sample;
            continue;
          }
          const own = foreground.at(x, channel) * 255;
          const mixed = share * own + (1 - share) * background.at(x, channel) * 255;
          const detail = share * (sample - mixed);
          result[4 * at + channel] = own + (trust + (1 - trust) * pure) * detail;
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
