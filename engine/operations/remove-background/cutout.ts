/** Cuts the subject out at full size, in colours of its own. */
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { Size } from '../../steps/step.ts';
import type { Box } from '../notations.ts';
import { alphaOf, type EdgeOptions } from './alpha.ts';
import { Cells } from './cells.ts';
import { Enlarged, type Field, fieldOf, fillIn, inside } from './field.ts';
import type { Mask } from './mask.ts';
import { scaled } from './scale.ts';
import { leastAround, type Shares, shrunkShares } from './shares.ts';
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
  const size = inside(layers.photo, COLOURS_SIDE);
  const scale = layers.photo.width / size.width;
  const mixed = Math.max(MIXED.small, Math.ceil(MIXED.photo / scale));
  // What is estimated lies between two pixels of the small picture, each of which has its neighbours.
  const cells = new Cells(alpha, (mixed + 2) * scale);
  const small = fieldOf(scaled(vips, layers.photo, size));
  const colours = estimateColours(small, shrunkShares(alpha, cells, size), mixed);
  const bounds = new Bounds();
  const trust = options.refine ? TRUST.refined : TRUST.rough;
  const image = separate(vips, { ...layers, ...colours, alpha, cells, trust }, bounds);
  return { image, background: colours.background, subject: bounds.box };
}

/** Longest side, in pixels, of the small pictures of the two colours, which vary slowly. */
const COLOURS_SIDE = 512;
/** How much of a pixel has to be of one side before its colour counts as the colour of that side. */
const PURE = 0.9;
/** How far beside the edge pixels are taken for mixed as well, because no mask is exact: of the photo, at least, and of the small picture. */
const MIXED = { photo: 2, small: 1 };

interface Colours {
  /** Of the subject and of the background, everywhere: each filled in from where there is nothing else. */
  foreground: Field;
  background: Field;
  /** One channel: how far a pixel shows the subject alone. */
  purity: Field;
}

/** @param subject of the same size. @param mixed how far beside it the edge still shows both */
function estimateColours(colours: Field, subject: Shares, mixed: number): Colours {
  const purity = purityOf(subject, mixed);
  return { foreground: fillIn(colours, purity), background: fillIn(colours, purityOf(behind(subject), mixed)), purity };
}

/** How much of each pixel is background. */
function behind({ data, ...size }: Shares): Shares {
  const rest = new Uint8Array(data.length);
  for (let at = 0; at < rest.length; at += 1) rest[at] = 255 - data[at]!;
  return { ...size, data: rest };
}

/** By the share of a side, 0 to 255: how far a pixel counts as showing that side alone. */
const PURITIES = Float32Array.from({ length: 256 }, (_, share) => Math.max(0, (share / 255 - PURE) / (1 - PURE)));

/** How far a pixel and what is around it show one side alone. */
function purityOf(shares: Shares, mixed: number): Field {
  const least = leastAround(shares, mixed);
  const data = new Float32Array(least.length);
  for (let at = 0; at < data.length; at += 1) data[at] = PURITIES[least[at]!]!;
  return { data, width: shares.width, height: shares.height, channels: 1 };
}

/**
 * How much of the detail is kept right at the edge. An edge that is a little out of place has the background's detail,
 * which is worse than none: measured on composites with masks that are one coarse pixel wrong.
 */
const TRUST = { rough: 0.4, refined: 0.8 };

interface Separation extends Layers, Colours {
  alpha: Shares;
  cells: Cells;
  trust: number;
}

/**
 * Gives each pixel of the edge the colour that the subject has there, without what shines through of the background: what
 * the two estimates do not explain is the subject's own detail (Forte, "Approximate Fast Foreground Colour Estimation",
 * ICIP 2021, equation 6), and the less of it is kept the nearer the background is.
 */
function separate(vips: VipsApi, { photo, opacity, alpha, cells, ...mixture }: Separation, bounds: Bounds): Image {
  const { width } = photo;
  const unmix = unmixer(photo, mixture);
  /** For one strip after the other. */
  let room = new Uint8ClampedArray();
  return fromStrips(vips, photo, { bands: 4, multiple: cells.side }, (strip: Strip) => {
    const seen = samplesOfRows(photo, strip);
    const shares = alpha.data.subarray(strip.top * width, (strip.top + strip.rows) * width);
    if (room.length < 4 * shares.length) room = new Uint8ClampedArray(4 * shares.length);
    const result = room.subarray(0, 4 * shares.length).fill(0);
    for (let band = 0; band < strip.rows; band += cells.side) {
      const runs = cells.runs(strip.top + band).filter(({ value }) => value !== 0);
      const isMixed = runs.some(({ value }) => value === undefined);
      for (let y = band; y < Math.min(band + cells.side, strip.rows); y += 1) {
        if (isMixed) unmix.select(strip.top + y);
        for (const { left, right, value } of runs) {
          const pixels = { start: y * width + left, end: y * width + right, left };
          if (value === 255) copyOpaque(seen, result, pixels);
          else unmix.pixels(seen, shares, result, pixels);
        }
      }
    }
    if (opacity) fade(result, samplesOfRows(opacity, strip));
    bounds.add(strip, width, result);
    return new Uint8Array(result.buffer, 0, result.length);
  });
}

/** Neighbours in a row, by their places in the strip, in pixels. */
interface Pixels {
  start: number;
  end: number;
  /** Column of the first. */
  left: number;
}

/** @param result RGBA, changed in place */
function copyOpaque(seen: Uint8Array, result: Uint8ClampedArray, { start, end }: Pixels): void {
  for (let from = 3 * start, to = 4 * start; to < 4 * end; from += 3, to += 4) {
    result[to] = seen[from]!;
    result[to + 1] = seen[from + 1]!;
    result[to + 2] = seen[from + 2]!;
    result[to + 3] = 255;
  }
}

function unmixer(photo: Size, { trust, ...colours }: Colours & { trust: number }) {
  const foreground = new Enlarged(colours.foreground, photo);
  const background = new Enlarged(colours.background, photo);
  const purity = new Enlarged(colours.purity, photo);
  return {
    /** Goes to a row of the photo. */
    select(row: number): void {
      for (const field of [foreground, background, purity]) field.select(row);
    },
    /** @param result RGBA, changed in place */
    pixels(seen: Uint8Array, shares: Uint8Array, result: Uint8ClampedArray, { start, end, left }: Pixels): void {
      for (let at = start, x = left; at < end; at += 1, x += 1) {
        const opaque = shares[at]!;
        if (opaque === 0) continue;
        const from = 3 * at;
        const to = 4 * at;
        result[to + 3] = opaque;
        const pure = purity.at(x, 0);
        if (pure === 1) {
          result[to] = seen[from]!;
          result[to + 1] = seen[from + 1]!;
          result[to + 2] = seen[from + 2]!;
          continue;
        }
        const share = opaque / 255;
        const kept = share * (trust + (1 - trust) * pure);
        for (let channel = 0; channel < 3; channel += 1) {
          const own = foreground.at(x, channel) * 255;
          const mixed = share * own + (1 - share) * background.at(x, channel) * 255;
          result[to + channel] = own + kept * (seen[from + channel]! - mixed);
        }
      }
    },
  };
}

/** As see-through as the file itself is. @param samples RGBA, changed in place */
function fade(samples: Uint8ClampedArray, opacity: Uint8Array): void {
  for (let at = 0; at < opacity.length; at += 1) samples[4 * at + 3] = (samples[4 * at + 3]! * opacity[at]!) / 255;
}

/** Opacity from which on a pixel can be seen. */
const VISIBLE = 16;

/** Grows to the smallest box around what can be seen. */
class Bounds {
  #left = Number.POSITIVE_INFINITY;
  #right = -1;
  #top = -1;
  #bottom = -1;

  /** Strips come from the top. @param samples RGBA */
  add({ top, rows }: Strip, width: number, samples: Uint8ClampedArray): void {
    for (let y = 0; y < rows; y += 1) {
      const alphaAt = (x: number) => samples[4 * (y * width + x) + 3]!;
      let left = 0;
      while (left < width && alphaAt(left) < VISIBLE) left += 1;
      if (left === width) continue;
      let right = width - 1;
      while (alphaAt(right) < VISIBLE) right -= 1;
      this.#left = Math.min(this.#left, left);
      this.#right = Math.max(this.#right, right);
      if (this.#top < 0) this.#top = top + y;
      this.#bottom = top + y;
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
