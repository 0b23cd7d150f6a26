/** Builds the names of results from the pattern of their pipeline (docs/spec/shapes.md, section 9.1). */
import type { FormatId } from '../../codecs/formats/registry.ts';
import { extensionOf, MAX_STEM_LENGTH, sourceStem, trimUnsafeEnds } from '../file-name.ts';

export const MAX_PATTERN_LENGTH = 120;
export const DEFAULT_PATTERN = '{name}.{ext}';
export const DEFAULT_OUTPUTS_PATTERN = '{name}-{width}.{ext}';
/** Name in the ZIP of the element that shows several results. */
export const MARKUP_FILE = 'picture.html';

/** What the names of all results of an image have in common. */
export interface OutputNaming {
  /** Null for the default. */
  pattern: string | null;
  /** Name that the source was sent with, if any. */
  sourceName: string | undefined;
  /** Number of the source in its job, from 1. */
  index: number;
  /** In milliseconds. The date is taken in UTC. */
  time: number;
}

export interface NamedResult extends Omit<OutputNaming, 'pattern'> {
  format: FormatId;
  /** Extension of the result, if it is not the first of the format. */
  extension?: string | undefined;
  /** In pixels; null if not known yet. */
  width: number | null;
  height: number | null;
}

type Placeholder = 'name' | 'ext' | 'format' | 'width' | 'height' | 'index' | 'date';

/** A placeholder, or any other character that is not allowed in the name. */
const REPLACED = /\{(name|ext|format|width|height|index|date)\}|[^A-Za-z0-9._ -]/gu;
const NAME = '{name}';

/**
 * Fills in a pattern. Letters of every alphabet in the source's name are kept, as without a pattern.
 * @returns null if the pattern contains a size that is not known
 */
export function outputName(pattern: string | null, result: NamedResult): string | null {
  const { sourceName, format, extension, width, height, index, time } = result;
  const text = pattern ?? DEFAULT_PATTERN;
  // All occurrences of the name share its maximum length. Otherwise
  // a short pattern could make a name of thousands of letters.
  const places = Math.max(1, text.split(NAME).length - 1);
  const stem = [...sourceStem(sourceName)].slice(0, Math.ceil(MAX_STEM_LENGTH / places)).join('');
  const values: Record<Placeholder, string | number | null> = {
    name: stem,
    ext: extensionOf({ format, extension }),
    format,
    width,
    height,
    index,
    date: new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length),
  };
  let isKnown = true;
  const name = text.replaceAll(REPLACED, (_match, placeholder?: Placeholder) => {
    if (placeholder === undefined) return '-';
    isKnown &&= values[placeholder] !== null;
    return String(values[placeholder]);
  });
  if (!isKnown) return null;
  // A pattern of only dots and spaces leaves nothing.
  return trimUnsafeEnds(name) || trimUnsafeEnds(stem) || sourceStem(undefined);
}

/** The name of one of several results. */
export const nameOfOutput = (
  { pattern, ...naming }: OutputNaming,
  { format, extension, width, height }: Pick<NamedResult, 'format' | 'extension' | 'width' | 'height'>,
): string | null => outputName(pattern ?? DEFAULT_OUTPUTS_PATTERN, { ...naming, format, extension, width, height });
