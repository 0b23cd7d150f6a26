/** From a mask to how much of each pixel is subject. */
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Size } from '../../steps/step.ts';
import { Areas, CUBIC, Enlarged, LINEAR } from './enlarged.ts';
import { type Field, fieldOf, inside } from './field.ts';
import type { Mask } from './mask.ts';
import { guidedFunctions } from './refine.ts';
import { scaled } from './scale.ts';
import { Changes, gaussian, soften } from './soften.ts';
import { fromStrips, grown, type Strip, samplesOfRows } from './strips.ts';

export interface EdgeOptions {
  /** 0 to 3. */
  feather: number;
  /** Pull the mask onto the edges of the photo. */
  refine: boolean;
}

/** Values of a mask that become background and subject, out of 255; what lies between is spread. */
type Levels = readonly [number, number];

/** The edge of an estimated mask is as wide as two of its own coarse pixels. */
const ESTIMATED: Levels = [102, 178];
/** What the filter leaves of an even surface is not quite even. */
const REFINED: Levels = [51, 217];
const AS_SENT: Levels = [0, 255];
/** Of an estimated mask before it is refined: its own edge is no guess at how soft the subject's is. */
const ROUGH: Levels = [64, 192];

/** Standard deviation of the softening for each step of feather, as a share of the longer side. */
const FEATHER = 0.0006;

/** Where the edge is, for a photo of any size. */
export interface Edge {
  /** What the shares are found with: */
  means:
    | { kind: 'sent'; mask: Image }
    /** One channel: how likely each part of the photo is subject. */
    | { kind: 'estimated'; likelihoods: Field }
    /** Four channels: functions of the colours of the photo. */
    | { kind: 'refined'; functions: Field };
  feather: number;
}

/** @param guide the photo, small: RGB, 8 bits */
export function edgeOf(vips: VipsApi, guide: Image, mask: Mask, { feather, refine }: EdgeOptions): Edge {
  if (refine) {
    const rough = scaled(vips, mask.image, guide).maplut(ramp(vips, mask.estimated ? ROUGH : AS_SENT));
    return { means: { kind: 'refined', functions: guidedFunctions(fieldOf(guide), fieldOf(rough)) }, feather };
  }
  if (mask.estimated) return { means: { kind: 'estimated', likelihoods: fieldOf(mask.image) }, feather };
  return { means: { kind: 'sent', mask: mask.image }, feather };
}

function ramp(vips: VipsApi, [low, high]: Levels): Image {
  const values = Uint8ClampedArray.from({ length: 256 }, (_, value) => ((value - low) / (high - low)) * 255);
  return vips.Image.newFromMemory(new Uint8Array(values.buffer), 256, 1, 1, vips.BandFormat.uchar);
}

/** The shares of some rows, 0 to 255, before they are softened. @param colours RGB of these rows. @param changes to be noted there */
type Draw = (rows: Strip, colours: Uint8Array, changes: Changes) => Uint8Array;

/** How much of each pixel of a photo is subject. */
export class Alpha {
  readonly #size: Size;
  readonly #draw: Draw;
  readonly #weights: Float32Array;

  constructor(vips: VipsApi, { means, feather }: Edge, size: Size) {
    this.#size = size;
    this.#weights = gaussian(feather * FEATHER * Math.max(size.width, size.height));
    this.#draw =
      means.kind === 'sent'
        ? fromMask(scaled(vips, means.mask, size).copyMemory())
        : means.kind === 'estimated'
          ? fromLikelihoods(means.likelihoods, size)
          : fromFunctions(means.functions, size);
  }

  /** The rows whose colours decide about a strip. */
  needs(strip: Strip): Strip {
    return grown(strip, this.#weights.length - 1, this.#size.height);
  }

  /**
   * The shares of a strip, 0 to 255.
   * @param colours RGB of the rows that it needs
   */
  of(strip: Strip, colours: Uint8Array): Uint8Array {
    const area = this.needs(strip);
    const changes = new Changes(this.#size.width, area.rows, this.#weights.length - 1);
    const shares = this.#draw(area, colours, changes);
    if (this.#weights.length === 1) return shares;
    return soften(shares, { weights: this.#weights, changes, area, strip });
  }
}

function fromMask(mask: Image): Draw {
  const { width } = mask;
  return (rows, _, changes) => {
    const shares = samplesOfRows(mask, rows);
    for (let row = 0, at = 0; row < rows.rows; row += 1) {
      for (let x = 0; x < width; x += 1, at += 1) {
        const share = shares[at]!;
        if ((x > 0 && shares[at - 1] !== share) || (row > 0 && shares[at - width] !== share))
          changes.mark(row, x, x + 1);
      }
    }
    return shares;
  };
}

/** What the values of a field tell, whatever is between them: none of a pixel is subject, all of it, or something else. */
const NONE = 0;
const ALL = 1;
const OPEN = 2;

/** The sum of the positive weights of the cubic kernel, at most: how far it goes beyond the values that it is given. */
const OVERSHOOT = 1.125;

function fromLikelihoods(likelihoods: Field, size: Size): Draw {
  const [low, high] = ESTIMATED;
  const enlarged = new Enlarged(likelihoods, size, CUBIC);
  const states = new Uint8Array(likelihoods.data.length);
  for (let at = 0; at < states.length; at += 1) {
    const value = likelihoods.data[at]!;
    const isNone = value * OVERSHOOT * 255 <= low;
    const isAll = (1 - value) * OVERSHOOT * 255 <= 255 - high;
    states[at] = isNone ? NONE : isAll ? ALL : OPEN;
  }
  return drawOpen(new Areas(enlarged, states, OPEN), size, (y, from, to, _, shares) => {
    const values = enlarged.draw(y, from, to);
    for (let at = 0; at < values.length; at += 1) shares[at] = (255 * (255 * values[at]! - low)) / (high - low);
  });
}

function fromFunctions(functions: Field, size: Size): Draw {
  const [low, high] = REFINED;
  const enlarged = new Enlarged(functions, size, LINEAR);
  const { data } = functions;
  const states = new Uint8Array(functions.width * functions.height);
  for (let at = 0, from = 0; at < states.length; at += 1, from += 4) {
    // Of whatever colour.
    let least = data[from + 3]! * 255;
    let most = least;
    for (let channel = from; channel < from + 3; channel += 1) {
      least += Math.min(0, data[channel]!) * 255;
      most += Math.max(0, data[channel]!) * 255;
    }
    states[at] = most <= low ? NONE : least >= high ? ALL : OPEN;
  }
  return drawOpen(new Areas(enlarged, states, OPEN), size, (y, from, to, colours, shares) => {
    const values = enlarged.draw(y, from, to);
    for (let at = 0, value = 0, colour = 0; at < shares.length; at += 1, value += 4, colour += 3) {
      const share =
        values[value]! * colours[colour]! +
        values[value + 1]! * colours[colour + 1]! +
        values[value + 2]! * colours[colour + 2]! +
        values[value + 3]! * 255;
      shares[at] = (255 * (share - low)) / (high - low);
    }
  });
}

/** The shares of the pixels `from` to `to` of a row. @param colours their RGB. @param shares to be filled */
type DrawRun = (y: number, from: number, to: number, colours: Uint8Array, shares: Uint8ClampedArray) => void;

/** Looks at the pixels alone that are not decided. */
function drawOpen(areas: Areas, { width }: Size, drawRun: DrawRun): Draw {
  return ({ top, rows }, colours, changes) => {
    // It rounds and clamps.
    const shares = new Uint8ClampedArray(width * rows);
    for (let row = 0, start = 0; row < rows; row += 1, start += width) {
      for (const { state, from, to } of areas.runs(top + row)) {
        if (state === ALL) shares.fill(255, start + from, start + to);
        if (state !== OPEN) continue;
        const [first, end] = [start + from, start + to];
        drawRun(top + row, from, to, colours.subarray(3 * first, 3 * end), shares.subarray(first, end));
        changes.mark(row, from, to);
      }
    }
    return new Uint8Array(shares.buffer);
  };
}

/** All of it: one channel, as large as the photo. */
export function drawAlpha(vips: VipsApi, photo: Image, edge: Edge): Image {
  const alpha = new Alpha(vips, edge, photo);
  return fromStrips(vips, photo, 1, (strip) => alpha.of(strip, samplesOfRows(photo, alpha.needs(strip))));
}

/** Longest side, in pixels, of the small picture on which edges and colours are found. */
const GUIDE_SIDE = 1024;

/** The photo as small as edges and colours are found on it; in memory. */
export function guideOf(vips: VipsApi, photo: Image): Image {
  return scaled(vips, photo, inside(photo, GUIDE_SIDE)).copyMemory();
}

/** Longest side of a mask that is answered, in pixels (specification, remove-background). */
const MASK_SIDE = 1024;

/** The mask as it is answered: of the whole photo, one channel, white is subject. */
export function drawMask(vips: VipsApi, photo: Image, mask: Mask, options: EdgeOptions): Image {
  const seen = scaled(vips, photo, inside(photo, MASK_SIDE)).copyMemory();
  return drawAlpha(vips, seen, edgeOf(vips, guideOf(vips, seen), mask, options));
}
