/** Cuts the subject out at full size, in colours of its own. */
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import { FLOAT, type Kernels, startKernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { Size } from '../../steps/step.ts';
import type { Box } from '../notations.ts';
import { alphaOf, type EdgeOptions, type Tools } from './alpha.ts';
import { Cells, type Run } from './cells.ts';
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

export function cutOut(tools: Tools, layers: Layers, mask: Mask, options: EdgeOptions): CutOut {
  const alpha = alphaOf(tools, layers.photo, mask, options);
  const size = inside(layers.photo, COLOURS_SIDE);
  const scale = layers.photo.width / size.width;
  const mixed = Math.max(MIXED.small, Math.ceil(MIXED.photo / scale));
  // What is estimated lies between two pixels of the small picture, each of which has its neighbours.
  const cells = new Cells(alpha, (mixed + 2) * scale);
  const small = fieldOf(scaled(tools.vips, layers.photo, size));
  const colours = estimateColours(small, shrunkShares(alpha, cells, size), mixed);
  const bounds = new Bounds();
  const trust = options.refine ? TRUST.refined : TRUST.rough;
  const image = separate(tools, { ...layers, ...colours, alpha, cells, trust }, bounds);
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
        if (veil) fade(row, veil.subarray(y * width, (y + 1) * width));
        bounds.add(strip.top + y, runs, row);
      }
    }
    return result;
  });
}

/** Pixels of a row: where they are in the memory of the kernels, and their columns. */
interface Pixels {
  rgba: number;
  rgb: number;
  shares: number;
  left: number;
  right: number;
}

/** The kernel `unmix` with the colours around the edge, of one row after the other. */
class Unmixer {
  /** The address after what it keeps. */
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
    const lineOf = (field: Field): Line => {
      const enlarged = new Enlarged(field, photo);
      return { enlarged, at: kernels.reserve(enlarged.line.byteLength) };
    };
    this.#kernels = kernels;
    this.#trust = trust;
    this.#foreground = lineOf(colours.foreground);
    this.#background = lineOf(colours.background);
    this.#purity = lineOf(colours.purity);
    // All three are of one size, and this one has one value a pixel.
    const { first, share } = this.#purity.enlarged.columns;
    this.#first = kernels.place(first);
    this.#share = kernels.place(share);
    this.end = kernels.end;
  }

  /** Goes to a row of the photo. */
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
      this.#first + left * FLOAT,
      this.#share + left * FLOAT,
      this.#purity.enlarged.right,
      this.#foreground.at,
      this.#background.at,
      this.#purity.at,
      this.#trust,
    );
  }
}

/** A field with the place of its selected line in the memory of the kernels. */
interface Line {
  enlarged: Enlarged;
  at: number;
}

/** As see-through as the file itself is. @param samples RGBA, changed in place */
function fade(samples: Uint8Array, opacity: Uint8Array): void {
  for (let at = 0; at < opacity.length; at += 1)
    samples[4 * at + 3] = (samples[4 * at + 3]! * opacity[at]!) / 255 + 0.5;
}

/** Opacity from which on a pixel can be seen. */
const VISIBLE = 16;

/** Grows to the smallest box around what can be seen. */
class Bounds {
  #left = Number.POSITIVE_INFINITY;
  #right = -1;
  #top = -1;
  #bottom = -1;

  /** Rows come from the top. @param runs where something may be @param samples of the row, RGBA */
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

/** The first column in the runs that is as asked; undefined when none is. */
function firstOf(runs: readonly Run[], isWanted: (x: number) => boolean): number | undefined {
  for (const { left, right } of runs) for (let x = left; x < right; x += 1) if (isWanted(x)) return x;
  return undefined;
}

function lastOf(runs: readonly Run[], isWanted: (x: number) => boolean): number | undefined {
  for (const { left, right } of runs.toReversed()) for (let x = right - 1; x >= left; x -= 1) if (isWanted(x)) return x;
  return undefined;
}
