/** Runs `minify-svg` in the worker: the same SVG in fewer bytes. */
import { encodingOf } from '../../../codecs/svg/markup.ts';
import type { WorkerContext } from '../../context.ts';
import type { TaskInput, TaskResult } from '../../task.ts';
import { minifyMarkup } from './minify.ts';

/**
 * Returns gzipped files, files that are not in UTF-8, and files that would be rendered differently unchanged.
 * @throws Failure 422 `corrupt_image` if it is not well-formed XML
 */
export async function runMinifySvg(
  _context: WorkerContext,
  { image }: TaskInput<'minify-svg'>,
): Promise<TaskResult<'minify-svg'>> {
  const text = utf8Text(new Uint8Array(image.data));
  const small = text === undefined ? undefined : minifyMarkup(text);
  return { data: small === undefined ? image.data : new TextEncoder().encode(small).buffer };
}

/** @returns undefined if the bytes are not UTF-8 (gzipped ones are not), or declare another encoding */
function utf8Text(bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: true });
  if (decoder.encoding !== 'utf-8') return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
