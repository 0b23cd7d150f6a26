/** `minify-svg` on the worker: the same drawing in fewer bytes. */
import { type Config, optimize } from 'svgo';
import { corruptImage } from '../../../codecs/errors.ts';
import type { WorkerContext } from '../../context.ts';
import type { TaskInput, TaskResult } from '../../task.ts';

/**
 * What is drawn stays, and what style sheets, scripts and other files may name: elements, their ids, classes and attributes,
 * such as the symbols of a sprite. The usual set of plug-ins drew a file of the corpus in another colour: it removes attributes
 * that selectors name.
 */
const PLUGINS: NonNullable<Config['plugins']> = [
  'removeDoctype',
  'removeXMLProcInst',
  'removeComments',
  'removeMetadata',
  'removeEditorsNSData',
  'cleanupAttrs',
  'cleanupNumericValues',
  'convertPathData',
];

/** @throws Failure 422 `corrupt_image` when it is no well-formed XML */
export async function runMinifySvg(
  _context: WorkerContext,
  { image }: TaskInput<'minify-svg'>,
): Promise<TaskResult<'minify-svg'>> {
  const [first, second] = new Uint8Array(image.data, 0, Math.min(2, image.data.byteLength));
  // SVGZ is as small as it gets.
  if (first === 0x1f && second === 0x8b) return { data: image.data };
  const text = new TextDecoder().decode(image.data);
  return { data: new TextEncoder().encode(minified(text)).buffer };
}

function minified(text: string): string {
  try {
    const { data } = optimize(text, { multipass: true, plugins: PLUGINS });
    if (data !== '') return data;
  } catch (error) {
    throw corruptImage('image', error);
  }
  throw corruptImage('image');
}
