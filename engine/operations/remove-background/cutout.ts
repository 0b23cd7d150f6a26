/** Cuts the subject out at full size, with the background removed from its edge colours. */
import type { Box, Size } from '../../../base/geometry.ts';
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import { FLOAT_BYTES, type Kernels, startKernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import { alphaOf, type EdgeOptions, type Tools } from './alpha.ts';
import { minimumFilter, type Shares, shrinkAlphaMask } from './alpha-mask.ts';
import { type FloatImage, fitInside, inpaint, toFloatImage, Upsampler } from './float-image.ts';
import type { Mask } from './mask.ts';
import { scaled } from './scale.ts';
import { fromStrips, type Strip, samplesOfRows } from './strips.ts';
import { type Run, TileMap } from './tile-map.ts';

/** A photo and its alpha channel as separate images, 8 bits. */
export interface SeparatedAlpha {
  /** RGB. */
  photo: Image;
  /** The alpha channel of the file; undefined if the file is opaque. */
  opacity: Image | undefined;
}

export function separateAlpha(frame: Image): SeparatedAlpha {
  const rgb = toRgb(frame);
  if (!hasAlpha(rgb)) return { photo: rgb, opacity: undefined };
  return { photo: rgb.extractBand(0, { n: 3 }), opacity: rgb.extractBand(3) };
}

export interface CutOut {
  /** sRGB with alpha, 8 bits, at the size of the photo. */
  image: Image;
  /** The background, filled in behind the subject, at reduced size. */
  background: FloatImage;
  /** The smallest box around all visible pixels; undefined if there are none. */
  subject: Box | undefined;
}

export function cutOut(tools: Tools, layers: SeparatedAlpha, mask: Mask, options: EdgeOptions): CutOut {
  const alpha = alphaOf(tools, layers.photo, mask, options);
  const size = fitInside(layers.photo, COLOURS_SIDE);
  const scale = layers.photo.width / size.width;
  const mixed = Math.max(MIXED_MARGIN.small, Math.ceil(MIXED_MARGIN.photo / scale));
  // An estimate is interpolated between two pixels of the reduced image, each of which depends on its neighbours.
  const cells = new TileMap(alpha, (mixed + 2) * scale);
  const small = toFloatImage(scaled(tools.vips, layers.photo, size));
  const colours = estimateColours(small, shrinkAlphaMask(alpha, cells, size), mixed);
  const bounds = new Bounds();
  const trust = options.refine ? DETAIL_WEIGHT.refined : DETAIL_WEIGHT.rough;
  const image = separate(tools, { ...layers, ...colours, alpha, cells, trust }, bounds);
  return { image, background: colours.background, subject: bounds.box };
}

/** Longest side, in pixels, of the reduced images of the two colours, which vary slowly. */
const COLOURS_SIDE = 512;
/** Minimum share of subject or background in a pixel for its colour to count as the colour of that side. */
const MIN_PURE_SHARE = 0.9;
/**
 * Pixels this close to the edge also count as mixed, because no mask is exact: at least this many of the photo and of
 * the reduced image.
 */
const MIXED_MARGIN = { photo: 2, small: 1 };

interface Colours {
  /**
   * Colours of the subject and of the background at every pixel, filled in from the pixels that show only one of them.
   */
  foreground: FloatImage;
  background: FloatImage;
  /** One channel: how far a pixel shows only the subject. */
  purity: FloatImage;
}

/** @param subject at the same size. @param mixed distance from the edge within which pixels show both */
function estimateColours(colours: FloatImage, subject: Shares, mixed: number): Colours {
  const purity = purityOf(subject, mixed);
  return {
    foreground: inpaint(colours, purity),
    background: inpaint(colours, purityOf(behind(subject), mixed)),
    purity,
  };
}

/** How much of each pixel is background. */
function behind({ data, ...size }: Shares): Shares {
  const rest = new Uint8Array(data.length);
  for (let at = 0; at < rest.length; at += 1) rest[at] = 255 - data[at]!;
  return { ...size, data: rest };
}

/** How far a pixel counts as showing one side only, by its share of that side, 0 to 255. */
const PURITIES = Float32Array.from({ length: 256 }, (_, share) =>
  Math.max(0, (share / 255 - MIN_PURE_SHARE) / (1 - MIN_PURE_SHARE)),
);

/** How far a pixel and its neighbourhood show one side only. */
function purityOf(shares: Shares, mixed: number): FloatImage {
  const least = minimumFilter(shares, mixed);
  const data = new Float32Array(least.length);
  for (let at = 0; at < data.length; at += 1) data[at] = PURITIES[least[at]!]!;
  return { data, width: shares.width, height: shares.height, channels: 1 };
}

/**
 * How much detail is kept at the edge. An edge that is slightly off contains detail of the background, which is worse
 * than none: measured on composites with masks that are wrong by one coarse pixel.
 */
const DETAIL_WEIGHT = { rough: 0.4, refined: 0.8 };

interface Separation extends SeparatedAlpha, Colours {
  alpha: Shares;
  cells: TileMap;
  trust: number;
}

/**
 * Gives each edge pixel the colour of the subject without the background behind it. The difference between the photo
 * and the two estimates is the subject's own detail (Forte, "Approximate Fast Foreground Colour Estimation", ICIP 2021,
 * equation 6). Less of it is kept close to the background.
 */
function separate(
  { vips, modules }: Tools,
  { photo, opacity, alpha, cells, ...mixture }: Separation,
  bounds: Bounds,
): Image {
  const kernels = startKernels(modules);
  const { width } = photo;
  const unmixer = new Unmixer(kernels, photo, mixture);
  return fromStrips(vips, photo, { bands: 4, multiple: cells.side }, (strip: Strip) => {
    const pixels = width * strip.rows;
    kernels.free(unmixer.end);
    const rgb = kernels.place(samplesOfRows(photo, strip));
    const shares = kernels.place(alpha.data.subarray(strip.top * width, strip.top * width + pixels));
    const veil = opacity && samplesOfRows(opacity, strip);
    const rgba = kernels.reserve(4 * pixels);
    const result = kernels.bytes(rgba, 4 * pixels).fill(0);
    for (let band = 0; band < strip.rows; band += cells.side) {
      const runs = cells.runs(strip.top + band).filter(({ value }) => value !== 0);
      const isMixed = runs.some(({ value }) => value === undefined);
      for (let y = band; y < Math.min(band + cells.side, strip.rows); y += 1) {
        if (isMixed) unmixer.select(strip.top + y);
        for (const { left, right, value } of runs) {
          const start = y * width + left;
          if (value === 255) kernels.run.addAlpha(rgba + 4 * start, right - left, rgb + 3 * start);
          else unmixer.run({ rgba: rgba + 4 * start, rgb: rgb + 3 * start, shares: shares + start, left, right });
        }
        const row = result.subarray(4 * y * width, 4 * (y + 1) * width);
        if (veil) applyFileAlpha(row, veil.subarray(y * width, (y + 1) * width));
        bounds.add(strip.top + y, runs, row);
      }
    }
    return result;
  });
}

/** Pixels of a row: their addresses in the memory of the kernels, and their columns. */
interface Pixels {
  rgba: number;
  rgb: number;
  shares: number;
  left: number;
  right: number;
}

/** Runs the kernel `unmix` with the colours around the edge, row by row. */
class Unmixer {
  /** The first address after its data. */
  readonly end: number;
  readonly #kernels: Kernels;
  readonly #trust: number;
  readonly #foreground: Line;
  readonly #background: Line;
  readonly #purity: Line;
  readonly #first: number;
  readonly #share: number;

  constructor(kernels: Kernels, photo: Size, { trust, ...colours }: Colours & { trust: number }) {
    kernels.free();
    const lineOf = (field: FloatImage): Line => {
      const enlarged = new Upsampler(field, photo);
      return { enlarged, at: kernels.reserve(enlarged.line.byteLength) };
    };
    this.#kernels = kernels;
    this.#trust = trust;
    this.#foreground = lineOf(colours.foreground);
    this.#background = lineOf(colours.background);
    this.#purity = lineOf(colours.purity);
    // All three have the same size, and this one has one value per pixel.
    const { first, share } = this.#purity.enlarged.columns;
    this.#first = kernels.place(first);
    this.#share = kernels.place(share);
    this.end = kernels.end;
  }

  /** Selects a row of the photo. */
  select(row: number): void {
    for (const { enlarged, at } of [this.#foreground, this.#background, this.#purity]) {
      enlarged.select(row);
      this.#kernels.floats(at, enlarged.line.length).set(enlarged.line);
    }
  }

  run({ rgba, rgb, shares, left, right }: Pixels): void {
    this.#kernels.run.unmix(
      rgba,
      rgb,
      shares,
      right - left,
      this.#first + left * FLOAT_BYTES,
      this.#share + left * FLOAT_BYTES,
      this.#purity.enlarged.right,
      this.#foreground.at,
      this.#background.at,
      this.#purity.at,
      this.#trust,
    );
  }
}

/** A float image, with the address of its selected row in the memory of the kernels. */
interface Line {
  enlarged: Upsampler;
  at: number;
}

/** Applies the alpha channel of the file. @param samples RGBA, changed in place */
function applyFileAlpha(samples: Uint8Array, opacity: Uint8Array): void {
  for (let at = 0; at < opacity.length; at += 1)
    samples[4 * at + 3] = (samples[4 * at + 3]! * opacity[at]!) / 255 + 0.5;
}

/** Minimum opacity of a visible pixel. */
const VISIBLE = 16;

/** Collects the smallest box around all visible pixels. */
class Bounds {
  #left = Number.POSITIVE_INFINITY;
  #right = -1;
  #top = -1;
  #bottom = -1;

  /** Adds rows from the top. @param runs where there may be visible pixels @param samples of the row, RGBA */
  add(row: number, runs: readonly Run[], samples: Uint8Array): void {
    const isVisible = (x: number) => samples[4 * x + 3]! >= VISIBLE;
    const left = firstOf(runs, isVisible);
    const right = lastOf(runs, isVisible);
    if (left === undefined || right === undefined) return;
    this.#left = Math.min(this.#left, left);
    this.#right = Math.max(this.#right, right);
    if (this.#top < 0) this.#top = row;
    this.#bottom = row;
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

/** The first column in the runs that satisfies the condition; undefined if there is none. */
function firstOf(runs: readonly Run[], isWanted: (x: number) => boolean): number | undefined {
  for (const { left, right } of runs) for (let x = left; x < right; x += 1) if (isWanted(x)) return x;
  return undefined;
}

function lastOf(runs: readonly Run[], isWanted: (x: number) => boolean): number | undefined {
  for (const { left, right } of runs.toReversed()) for (let x = right - 1; x >= left; x -= 1) if (isWanted(x)) return x;
  return undefined;
}
