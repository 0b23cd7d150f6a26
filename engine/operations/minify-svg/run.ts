/** `minify-svg` on the worker: the same drawing in fewer bytes. */
import { type Config, optimize } from 'svgo';
import { corruptImage } from '../../../codecs/errors.ts';
import { encodingOf } from '../../../codecs/svg/markup.ts';
import type { WorkerContext } from '../../context.ts';
import type { TaskInput, TaskResult } from '../../task.ts';
import { pathDigits } from './path-digits.ts';

type Plugins = NonNullable<Config['plugins']>;

/**
 * What is drawn stays, and what style sheets, scripts and other files may name: elements, their ids, classes and attributes,
 * such as the symbols of a sprite. The usual set of plug-ins drew a file of the corpus in another colour: it removes attributes
 * that selectors name.
 */
const PLUGINS: Plugins = [
  'removeDoctype',
  'removeXMLProcInst',
  'removeComments',
  'removeMetadata',
  'removeEditorsNSData',
  'cleanupAttrs',
];

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

/**
 * Packed files, those that are not in UTF-8 and those that would be drawn differently are given back as they are.
 * @throws Failure 422 `corrupt_image` when it is no well-formed XML
 */
export async function runMinifySvg(
  _context: WorkerContext,
  { image }: TaskInput<'minify-svg'>,
): Promise<TaskResult<'minify-svg'>> {
  const text = utf8Text(new Uint8Array(image.data));
  if (text === undefined || LEFT_AS_IT_IS.test(text)) return { data: image.data };
  return { data: new TextEncoder().encode(minified(text)).buffer };
}

/** @returns undefined for bytes that are no UTF-8 (packed ones are none), or say so */
function utf8Text(bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: true });
  if (decoder.encoding !== 'utf-8') return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function minified(text: string): string {
  const floatPrecision = pathDigits(text);
  const paths: Plugins =
    floatPrecision === undefined ? [] : [{ name: 'convertPathData', params: { ...PATHS, floatPrecision } }];
  try {
    const { data } = optimize(text, { plugins: [...PLUGINS, ...paths] });
    if (data !== '') return data;
  } catch (error) {
    throw corruptImage('image', error);
  }
  throw corruptImage('image');
}
