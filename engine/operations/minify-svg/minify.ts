/** Minifies SVG markup with svgo. */
import { type Config, optimize } from 'svgo';
import { corruptImage } from '../../../codecs/errors.ts';
import { pathDigits } from './path-digits.ts';

type Plugins = NonNullable<Config['plugins']>;

/**
 * Keeps everything that is rendered, and everything that style sheets, scripts and other files may refer to: elements,
 * their ids, classes and attributes, such as the symbols of a sprite. svgo's default plug-ins changed the colour of a
 * file of the corpus, because they remove attributes that selectors name.
 */
const PLUGINS: Plugins = ['removeDoctype', 'removeXMLProcInst', 'cleanupAttrs'];
/** Removes data that is not rendered and describes how the file was made. */
const METADATA_PLUGINS: Plugins = ['removeComments', 'removeMetadata', 'removeEditorsNSData'];

/** Options that depend on the stroke are off: the stroke may be set by the page that uses the SVG. */
const PATHS = {
  applyTransforms: false,
  makeArcs: { threshold: 0, tolerance: 0 },
  collapseRepeated: false,
  convertToZ: false,
  removeUseless: false,
};

/**
 * Document types that declare entities, which may expand without bound, or default attributes; elements in which white
 * space between elements is rendered.
 */
const NOT_MINIFIABLE = /<!DOCTYPE[^>]*\[|<(?:[\w-]+:)?foreignObject\b|<[\w-]+:text\b/;

export interface MinifyOptions {
  /** Keep comments, metadata and editor data. */
  keepsMetadata?: boolean;
  /** Keep every digit of paths. */
  isExact?: boolean;
}

/**
 * @returns undefined if the result would be rendered differently
 * @throws Failure 422 `corrupt_image` if it is not well-formed XML
 */
export function minifyMarkup(
  text: string,
  { keepsMetadata = false, isExact = false }: MinifyOptions = {},
): string | undefined {
  if (NOT_MINIFIABLE.test(text)) return undefined;
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
