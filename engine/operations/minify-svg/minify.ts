/** The markup of a drawing in fewer characters, by svgo. */
import { type Config, optimize } from 'svgo';
import { corruptImage } from '../../../codecs/errors.ts';
import { pathDigits } from './path-digits.ts';

type Plugins = NonNullable<Config['plugins']>;

/**
 * What is drawn stays, and what style sheets, scripts and other files may name: elements, their ids, classes and attributes,
 * such as the symbols of a sprite. The usual set of plug-ins drew a file of the corpus in another colour: it removes attributes
 * that selectors name.
 */
const PLUGINS: Plugins = ['removeDoctype', 'removeXMLProcInst', 'cleanupAttrs'];
/** What is not drawn and tells of how the file was made. */
const METADATA_PLUGINS: Plugins = ['removeComments', 'removeMetadata', 'removeEditorsNSData'];

/** What needs the stroke to be known stays off: it may come from a page that uses the drawing. */
const PATHS = {
  applyTransforms: false,
  makeArcs: { threshold: 0, tolerance: 0 },
  collapseRepeated: false,
  convertToZ: false,
  removeUseless: false,
};

/**
 * Document types that declare entities, which grow without bound when they are replaced, or defaults of attributes; places
 * where white space between elements is drawn.
 */
const LEFT_AS_IT_IS = /<!DOCTYPE[^>]*\[|<(?:[\w-]+:)?foreignObject\b|<[\w-]+:text\b/;

export interface MinifyOptions {
  /** Comments, metadata and data of editors stay. */
  keepsMetadata?: boolean;
  /** Paths keep every digit. */
  isExact?: boolean;
}

/**
 * @returns undefined for what would be drawn differently
 * @throws Failure 422 `corrupt_image` when it is no well-formed XML
 */
export function minifyMarkup(
  text: string,
  { keepsMetadata = false, isExact = false }: MinifyOptions = {},
): string | undefined {
  if (LEFT_AS_IT_IS.test(text)) return undefined;
  const floatPrecision = isExact ? undefined : pathDigits(text);
  const paths: Plugins =
    floatPrecision === undefined ? [] : [{ name: 'convertPathData', params: { ...PATHS, floatPrecision } }];
  const metadata = keepsMetadata ? [] : METADATA_PLUGINS;
  try {
    const { data } = optimize(text, { plugins: [...metadata, ...PLUGINS, ...paths] });
    if (data !== '') return data;
  } catch (error) {
    throw corruptImage('image', error);
  }
  throw corruptImage('image');
}
