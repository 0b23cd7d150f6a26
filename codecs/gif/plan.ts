/** Which colours an animation is written with. */
import { ColourSet } from './colour-set.ts';
import { OrderedDither } from './dither.ts';
import { type AnimationFrames, CLEAR, readColours } from './frames.ts';
import type { Palette } from './palette.ts';
import { Histogram, quantise } from './quantise.ts';

/** `ordered` mixes colours by place alone; `auto` does what suits the picture. */
export type Dither = 'auto' | 'none' | 'ordered';

export interface ColourPlan {
  /** The table that images use unless they have their own. */
  palette: Palette;
  /** How many entries any table may have. */
  limit: number;
  /** Fills in the colours that a frame is to show: none that is not in a table of `limit` entries. Frames come in order. */
  show(index: number, colours: Uint32Array): void;
}

/** From here on one colour less is not seen, and frames can leave out what did not change. */
const SPARES_ONE_FROM = 16;

export function planColours(frames: AnimationFrames, colours: number, dither: Dither): ColourPlan {
  const survey = surveyColours(frames, colours);
  const limit = 2 ** Math.ceil(Math.log2(colours));
  const animated = frames.delays.length > 1;
  const sized = (shown: readonly number[], clear: boolean): Palette => {
    const hasClear = clear || (animated && shown.length < limit);
    return { colours: hasClear ? [CLEAR, ...shown] : shown, transparent: hasClear ? 0 : -1 };
  };
  if (survey.exact) {
    return {
      palette: sized(survey.exact, survey.clear),
      limit,
      show: (index, into) => readColours(frames, index, into),
    };
  }
  const spare = survey.clear || (animated && colours === limit && colours >= SPARES_ONE_FROM);
  const palette = quantise(survey.histogram.points(), colours - (spare ? 1 : 0));
  const mapping = new OrderedDither(palette, dither !== 'none');
  return {
    palette: sized([...palette], survey.clear),
    limit,
    show(index, into) {
      readColours(frames, index, into);
      mapping.apply(into, frames.width);
    },
  };
}

interface Survey {
  /** Some pixel is transparent. */
  clear: boolean;
  /** The opaque colours of all frames, null when they are too many. Those that most frames use come first. */
  exact: number[] | null;
  histogram: Histogram;
}

function surveyColours(frames: AnimationFrames, limit: number): Survey {
  const pixels = new Uint32Array(frames.width * frames.height);
  const all = new ColourSet();
  const histogram = new Histogram();
  let clear = false;
  for (let index = 0; index < frames.delays.length; index += 1) {
    readColours(frames, index, pixels);
    for (const colour of pixels) {
      if (colour === CLEAR) clear = true;
      else {
        histogram.add(colour, 1);
        all.add(colour);
      }
    }
  }
  const exact = all.size + (clear ? 1 : 0) <= limit && all.size < 256 ? [...all.colours.subarray(0, all.size)] : null;
  return { clear, exact, histogram };
}
