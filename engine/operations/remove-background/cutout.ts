/** Cuts the subject out at full size, in colours of its own. */
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { Size } from '../../steps/step.ts';
import type { Box } from '../parameters.ts';
import { Alpha, drawAlpha, type Edge, type EdgeOptions, edgeOf, guideOf } from './alpha.ts';
import { Areas, Enlarged, LINEAR } from './enlarged.ts';
import { type Field, fieldOf, joined } from './field.ts';
import { fillIn } from './fill.ts';
import type { Mask } from './mask.ts';
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
  const guide = guideOf(vips, layers.photo);
  const edge = edgeOf(vips, guide, mask, options);
  const colours = estimateColours(vips, guide, edge);
  const bounds = new Bounds(layers.photo);
  const trust = options.refine ? TRUST.refined : TRUST.rough;
  const image = separate(vips, { ...layers, ...colours, alpha: new Alpha(vips, edge, layers.photo), trust }, bounds);
  return { image, background: colours.background, subject: bounds.box };
}

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

/** @param guide the photo, small */
function estimateColours(vips: VipsApi, guide: Image, edge: Edge): Colours {
  const colours = fieldOf(guide);
  const shares = drawAlpha(vips, guide, edge).copyMemory();
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
  alpha: Alpha;
  trust: number;
}

/** A pixel of the photo shows the subject alone, or perhaps not. */
const SUBJECT = 1;
const PERHAPS = 0;

/** The cut-out: the subject's colours, and how much of each pixel it is. */
function separate(vips: VipsApi, separation: Separation, bounds: Bounds): Image {
  const { photo, opacity, alpha, purity } = separation;
  const { width } = photo;
  const states = Uint8Array.from(purity.data, (pure) => (pure === 1 ? SUBJECT : PERHAPS));
  const areas = new Areas(new Enlarged(purity, photo, LINEAR), states, PERHAPS);
  const edge = new UnmixedEdge(separation);
  return fromStrips(vips, photo, 4, (strip) => {
    const needed = alpha.needs(strip);
    const samples = samplesOfRows(photo, needed);
    const seen = samples.subarray(3 * width * (strip.top - needed.top));
    const shares = alpha.of(strip, samples);
    const result = new Uint8Array(4 * shares.length);
    for (let row = 0, start = 0; row < strip.rows; row += 1, start += width) {
      for (const { state, from, to } of areas.runs(strip.top + row)) {
        if (state === SUBJECT) copy(seen, shares, result, start + from, start + to);
        else edge.draw({ seen, shares, result }, { y: strip.top + row, start, from, to });
      }
    }
    if (opacity) fade(result, samplesOfRows(opacity, strip));
    bounds.add(strip, result);
    return result;
  });
}

/** Pixels that show the subject alone. */
function copy(seen: Uint8Array, shares: Uint8Array, result: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at += 1) {
    if (shares[at] === 0) continue;
    result[4 * at] = seen[3 * at]!;
    result[4 * at + 1] = seen[3 * at + 1]!;
    result[4 * at + 2] = seen[3 * at + 2]!;
    result[4 * at + 3] = shares[at]!;
  }
}

/** Of a strip: RGB, one channel, RGBA. */
interface Samples {
  seen: Uint8Array;
  shares: Uint8Array;
  result: Uint8Array;
}

/** Pixels of a row. */
interface Run {
  y: number;
  /** Where the row begins in the strip, in pixels. */
  start: number;
  from: number;
  to: number;
}

/**
 * Gives each pixel of the edge the colour that the subject has there, without what shines through of the background: what
 * the two estimates do not explain is the subject's own detail (Forte, "Approximate Fast Foreground Colour Estimation",
 * ICIP 2021, equation 6), and the less of it is kept the nearer the background is.
 */
class UnmixedEdge {
  /** Seven channels: both colours, and purity. */
  readonly #colours: Enlarged;
  readonly #trust: number;

  constructor({ photo, foreground, background, purity, trust }: Separation) {
    this.#colours = new Enlarged(joined([foreground, background, purity]), photo, LINEAR);
    this.#trust = trust;
  }

  /** Draws those pixels of a run that are not wholly background. */
  draw(samples: Samples, { y, start, from, to }: Run): void {
    const { shares } = samples;
    for (let first = from; first < to; first += 1) {
      if (shares[start + first] === 0) continue;
      let end = first + 1;
      while (end < to && shares[start + end] !== 0) end += 1;
      this.#unmix(samples, { y, start, from: first, to: end });
      first = end;
    }
  }

  #unmix({ seen, shares, result }: Samples, { y, start, from, to }: Run): void {
    const colours = this.#colours.draw(y, from, to);
    const trust = this.#trust;
    for (let at = start + from, own = 0; at < start + to; at += 1, own += 7) {
      const share = shares[at]! / 255;
      const kept = share * (trust + (1 - trust) * colours[own + 6]!);
      for (let channel = 0; channel < 3; channel += 1) {
        const subject = colours[own + channel]! * 255;
        const mixed = share * subject + (1 - share) * colours[own + 3 + channel]! * 255;
        const colour = subject + kept * (seen[3 * at + channel]! - mixed);
        result[4 * at + channel] = Math.min(Math.max(colour, 0), 255) + 0.5;
      }
      result[4 * at + 3] = shares[at]!;
    }
  }
}

/** As see-through as the file itself is. */
function fade(result: Uint8Array, opacity: Uint8Array): void {
  for (let at = 0; at < opacity.length; at += 1)
    result[4 * at + 3] = Math.round((result[4 * at + 3]! * opacity[at]!) / 255);
}

/** Opacity from which on a pixel can be seen. */
const VISIBLE = 16;

/** Grows to the smallest box around what can be seen. */
class Bounds {
  readonly #width: number;
  #left = Number.POSITIVE_INFINITY;
  #right = -1;
  #top = -1;
  #bottom = -1;

  constructor({ width }: Size) {
    this.#width = width;
  }

  /** Strips come from the top. @param samples RGBA */
  add({ top, rows }: Strip, samples: Uint8Array): void {
    const width = this.#width;
    for (let row = 0; row < rows; row += 1) {
      const start = row * width;
      let left = 0;
      while (left < width && samples[4 * (start + left) + 3]! < VISIBLE) left += 1;
      if (left === width) continue;
      let right = width - 1;
      while (samples[4 * (start + right) + 3]! < VISIBLE) right -= 1;
      this.#left = Math.min(this.#left, left);
      this.#right = Math.max(this.#right, right);
      if (this.#top < 0) this.#top = top + row;
      this.#bottom = top + row;
    }
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
