/** Chooses the colours with which an animation is written. */
import { ColourSet } from './colour-set.ts';
import { type DitherArea, PaletteMapper } from './dither.ts';
import { type AnimationFrames, CLEAR, readColours } from './frames.ts';
import { Histogram, type Points } from './histogram.ts';
import { type Palette, tableBits } from './palette.ts';
import { isFlat, meanError, quantise } from './quantise.ts';
import { type Scene, type Survey, surveyFrames } from './survey.ts';

/**
 * Mixes colours missing in the palette: `ordered` everywhere; `auto` where banding would be visible, and nowhere in
 * flat graphics; `none` nowhere.
 */
export type Dither = 'auto' | 'none' | 'ordered';

export interface ColourOptions {
  /** Number of colours, 2 to 256, that a frame may show, including transparency. */
  colours: number;
  /** Default `auto`. */
  dither?: Dither;
  /**
   * Maximum difference of a pixel that counts as unchanged: the root of the sum of the squared differences of red,
   * green and blue. Default 0.
   */
  tolerance?: number;
}

export interface ColourPlan {
  /** The global table, which images use unless they have their own. */
  palette: Palette;
  /** The same without a transparent entry, where that halves its size, which is better for few pixels. */
  smaller: Palette | null;
  /** Maximum number of entries of any table, at most 256. */
  limit: number;
  /**
   * Fills in the colours of a frame, never more than a table can hold. Frames are read in order, and again from the
   * first one for another file.
   * @param before the colours of the previous frame
   */
  show(index: number, before: Uint32Array, colours: Uint32Array): void;
}

/** From this number on one colour less is invisible, and the table has space for the transparent entry. */
const MIN_COLOURS_FOR_SPARE_ENTRY = 16;
/** A scene gets its own palette when the average error of the common one is larger than this (of 255) ... */
const VISIBLE_ERROR = 3;
/** ... and that of its own is less than this share of it. */
const WORTHWHILE = 0.7;

export function planColours(frames: AnimationFrames, options: ColourOptions): ColourPlan {
  const { colours, dither = 'auto', tolerance = 0 } = options;
  const survey = surveyFrames(frames, colours);
  // The transparent entry for unchanged pixels is not a visible colour, so it is added where there is space.
  const limit = Math.min(colours + 1, ColourSet.MAX);
  const animated = frames.delays.length > 1;
  const tables = (shown: readonly number[]): Pick<ColourPlan, 'palette' | 'smaller' | 'limit'> => {
    const hasClear = survey.clear || (animated && shown.length < limit);
    const palette = { colours: hasClear ? [CLEAR, ...shown] : shown, transparent: hasClear ? 0 : -1 };
    const halved = !survey.clear && tableBits(shown.length) < tableBits(palette.colours.length);
    return { palette, smaller: halved ? { colours: shown, transparent: -1 } : null, limit };
  };
  if (survey.scenes.every(({ exact }) => exact)) {
    return {
      ...tables(survey.shared),
      show(index, before, into) {
        readColours(frames, index, into);
        if (index === 0 || tolerance === 0) return;
        keepUnchangedPixels(into, before, tolerance);
        // With colours kept from the previous frame it may have too many.
        if (!survey.complete && !fits(into, colours)) readColours(frames, index, into);
      },
    };
  }
  const fillsTable = colours === 1 << tableBits(colours);
  const spare = survey.clear || (animated && fillsTable && colours >= MIN_COLOURS_FOR_SPARE_ENTRY);
  const size = colours - (spare ? 1 : 0);
  const points = survey.histogram.points();
  const palette = quantise(points, size);
  const area =
    dither === 'none' || (dither === 'auto' && isFlat(points)) ? 'none' : dither === 'auto' ? 'smooth' : 'all';
  return {
    ...tables([...palette]),
    show: quantised(frames, survey, { palette, size, area, tolerance }),
  };
}

interface Quantisation {
  palette: Uint32Array;
  /** Maximum number of colours of any palette. */
  size: number;
  area: DitherArea;
  tolerance: number;
}

/** Maps frames to the common palette, or to a better one for their scene. */
function quantised(frames: AnimationFrames, { scenes }: Survey, settings: Quantisation): ColourPlan['show'] {
  const { palette, size, area, tolerance } = settings;
  const common = new PaletteMapper(palette, area);
  const several = scenes.filter(({ exact }) => !exact).length > 1;
  let frame = new Uint32Array(frames.width * frames.height);
  let frameBefore = new Uint32Array(frames.width * frames.height);
  let scene: Scene | undefined;
  let mapping = common;
  return (index, before, into) => {
    const begun = scenes.find(({ start }) => start === index);
    scene = begun ?? scene;
    if (!scene || scene.exact) {
      readColours(frames, index, into);
      return;
    }
    if (begun && several) {
      const own = paletteOf(pointsOf(frames, scene, frame), palette, size);
      mapping = own ? new PaletteMapper(own, area) : common;
    }
    [frame, frameBefore] = [frameBefore, frame];
    readColours(frames, index, frame);
    if (!begun) keepUnchangedPixels(frame, frameBefore, tolerance);
    mapping.apply(frame, begun ? null : { frame: frameBefore, shown: before }, into, frames.width);
  };
}

/** Whether a frame has no more colours than a limit, including the transparent one. */
function fits(pixels: Uint32Array, limit: number): boolean {
  const set = new ColourSet();
  let last = -1;
  for (const colour of pixels) {
    if (colour === last) continue;
    last = colour;
    if (set.add(colour) < 0 || set.size > limit) return false;
  }
  return true;
}

/** Resets nearly unchanged pixels to their previous colours. */
function keepUnchangedPixels(colours: Uint32Array, before: Uint32Array, tolerance: number): void {
  if (tolerance === 0) return;
  const most = tolerance ** 2;
  for (let at = 0; at < colours.length; at += 1) {
    const colour = colours[at] as number;
    const was = before[at] as number;
    if (colour === was || colour === CLEAR || was === CLEAR) continue;
    const red = (colour & 0xff) - (was & 0xff);
    const green = ((colour >>> 8) & 0xff) - ((was >>> 8) & 0xff);
    const blue = ((colour >>> 16) & 0xff) - ((was >>> 16) & 0xff);
    if (red * red + green * green + blue * blue <= most) colours[at] = was;
  }
}

/** Returns a scene's own palette; null when the common one is good enough. */
function paletteOf(points: Points, common: Uint32Array, size: number): Uint32Array | null {
  const error = meanError(points, common);
  if (error <= VISIBLE_ERROR) return null;
  const own = quantise(points, size);
  return meanError(points, own) < error * WORTHWHILE ? own : null;
}

function pointsOf(frames: AnimationFrames, scene: Scene, pixels: Uint32Array): Points {
  const histogram = new Histogram();
  histogram.addScene(frames, scene, pixels);
  return histogram.points();
}
