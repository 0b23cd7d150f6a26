/** Compares a result with its source, and each loss with the warnings of the answer. */
import type { Warning } from '../../engine/result.ts';
import { isSameSpace } from './colour-spaces.ts';
import { type Animation, type ImageProperties, METADATA_KINDS } from './properties.ts';

export const COLUMNS = ['pages', 'frames', 'depth', 'colours', 'gain map', 'transparency', 'metadata'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Loss {
  column: Column;
  /** What is lost, and what the result has instead. */
  text: string;
  /** The warning that says it; undefined if none does. */
  warning: Warning | undefined;
}

/** The warnings that say a loss. The preview of a camera file has its own depth and colours. */
const SAYS: Readonly<Record<Column, readonly Warning[]>> = {
  pages: ['pages_dropped'],
  frames: ['animation_flattened'],
  depth: ['depth_reduced', 'preview_used'],
  colours: ['color_converted', 'preview_used'],
  'gain map': ['gain_map_dropped'],
  transparency: ['alpha_flattened'],
  metadata: ['metadata_dropped'],
};

/** @param warnings of the answer */
export function findLosses(source: ImageProperties, result: ImageProperties, warnings: readonly string[]): Loss[] {
  return lostOf(source, result).map(([column, text]) => ({
    column,
    text,
    warning: SAYS[column].find((warning) => warnings.includes(warning)),
  }));
}

const ALPHA_LEVELS = { none: 1, binary: 2, partial: 256 } as const;

type Lost = readonly [column: Column, text: string];

function lostOf(source: ImageProperties, result: ImageProperties): Lost[] {
  const lost: Lost[] = [];
  if (result.images < source.images) lost.push(['pages', `${result.images} of ${source.images}`]);
  const frames = source.animation && lostFrames(source.animation, result.animation);
  if (frames) lost.push(['frames', frames]);
  if (result.bits < source.bits) lost.push(['depth', `${result.bits} of ${source.bits}`]);
  if (!isSameColour(source, result)) lost.push(['colours', nameColours(result)]);
  if (source.hasGainMap && !result.hasGainMap) lost.push(['gain map', 'no gain map']);
  if (ALPHA_LEVELS[result.transparency] < ALPHA_LEVELS[source.transparency])
    lost.push(['transparency', result.transparency === 'none' ? 'opaque' : 'all or nothing']);
  for (const kind of METADATA_KINDS.filter((kind) => source.metadata.has(kind))) {
    const missing = kind === 'EXIF' ? [...source.exifTags].filter((tag) => !result.exifTags.has(tag)) : [];
    if (!result.metadata.has(kind)) lost.push(['metadata', `no ${kind}`]);
    else if (missing.length > 0) lost.push(['metadata', `${kind} without ${missing.join(', ')}`]);
  }
  return lost;
}

/** The colour space in words. */
export const nameColours = ({ model, profile }: ImageProperties): string =>
  profile ? `${model}, ${profile}` : model === 'RGB' ? 'sRGB' : model;

/** Formats without grey store it as RGB with three equal samples. */
const isSameColour = (source: ImageProperties, result: ImageProperties): boolean =>
  (source.model === result.model || (source.model === 'grey' && result.model === 'RGB')) && isSameSpace(source, result);

/** Formats count time in units of up to 10 ms, for each frame. */
const TIME_TOLERANCE = 0.05;

/** @returns undefined if it plays the same; encoders join frames that are equal */
function lostFrames(source: Animation, result: Animation | undefined): string | undefined {
  if (!result) return `1 of ${source.frames}`;
  const [wanted, has] = [source.durationMs ?? 0, result.durationMs ?? 0];
  const isSameTime = wanted > 0 && has > 0 ? Math.abs(wanted - has) <= TIME_TOLERANCE * wanted : undefined;
  if (isSameTime === false) return `${has} of ${wanted} ms`;
  if (isSameTime === undefined && result.frames < source.frames) return `${result.frames} of ${source.frames}`;
  if (source.plays !== undefined && result.plays !== undefined && source.plays !== result.plays)
    return `plays ${result.plays} times, not ${source.plays}`;
  return undefined;
}
