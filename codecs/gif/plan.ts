/** Which colours an animation is written with. */
import { OrderedDither } from './dither.ts';
import { type AnimationFrames, CLEAR, readColours } from './frames.ts';
import { Histogram, type Points } from './histogram.ts';
import type { Palette } from './palette.ts';
import { meanError, quantise } from './quantise.ts';
import { type Scene, surveyFrames } from './survey.ts';

/** `ordered` mixes colours by place alone; `auto` does what suits the picture. */
export type Dither = 'auto' | 'none' | 'ordered';

export interface ColourPlan {
  /** The table that images use unless they have their own. */
  palette: Palette;
  /** How many entries any table may have. */
  limit: number;
  /** Fills in the colours that a frame is to show: never more than a table can hold. Frames come in order. */
  show(index: number, colours: Uint32Array): void;
}

/** From here on one colour less is not seen, and lets frames leave out what did not change. */
const SPARES_ONE_FROM = 16;
/** A scene gets a palette of its own when that of all scenes is off by more than this on average (of 255)… */
const VISIBLE_ERROR = 3;
/** …and its own by less than this part of it. */
const WORTHWHILE = 0.7;

export function planColours(frames: AnimationFrames, colours: number, dither: Dither): ColourPlan {
  const survey = surveyFrames(frames, colours);
  const limit = 2 ** Math.ceil(Math.log2(colours));
  const animated = frames.delays.length > 1;
  const withClear = (shown: readonly number[]): Palette => {
    const hasClear = survey.clear || (animated && shown.length < limit);
    return { colours: hasClear ? [CLEAR, ...shown] : shown, transparent: hasClear ? 0 : -1 };
  };
  const inexact = survey.scenes.filter(({ exact }) => !exact);
  if (inexact.length === 0) {
    return {
      palette: withClear(survey.shared),
      limit,
      show: (index, into) => readColours(frames, index, into),
    };
  }
  const spare = survey.clear || (animated && colours === limit && colours >= SPARES_ONE_FROM);
  const size = colours - (spare ? 1 : 0);
  const palette = quantise(survey.histogram.points(), size);
  const mapping = (own: Uint32Array) => new OrderedDither(own, dither !== 'none');
  const global = mapping(palette);
  let scene: Scene | undefined;
  let current: OrderedDither | null = null;
  return {
    palette: withClear([...palette]),
    limit,
    show(index, into) {
      if (!scene || index >= scene.end) {
        scene = survey.scenes.find(({ end }) => index < end) as Scene;
        current = scene.exact ? null : global;
        if (!scene.exact && inexact.length > 1) {
          const own = paletteOf(pointsOf(frames, scene, into), palette, size);
          if (own) current = mapping(own);
        }
      }
      readColours(frames, index, into);
      current?.apply(into, frames.width);
    },
  };
}

/** The palette that a scene should have instead of the common one; null when that one does. */
function paletteOf(points: Points, common: Uint32Array, size: number): Uint32Array | null {
  const error = meanError(points, common);
  if (error <= VISIBLE_ERROR) return null;
  const own = quantise(points, size);
  return meanError(points, own) < error * WORTHWHILE ? own : null;
}

function pointsOf(frames: AnimationFrames, { start, end }: Scene, pixels: Uint32Array): Points {
  const histogram = new Histogram();
  for (let index = start; index < end; index += 1) {
    readColours(frames, index, pixels);
    histogram.addAll(pixels);
  }
  return histogram.points();
}
