/** `minify-svg` on the worker: the same drawing in fewer bytes. */
import { encodingOf } from '../../../codecs/svg/markup.ts';
import type { WorkerContext } from '../../context.ts';
import type { TaskInput, TaskResult } from '../../task.ts';
import { minifyMarkup } from './minify.ts';

/**
 * Packed files, those that are not in UTF-8 and those that would be drawn differently are given back as they are.
 * @throws Failure 422 `corrupt_image` when it is no well-formed XML
 */
export async function runMinifySvg(
  _context: WorkerContext,
  { image }: TaskInput<'minify-svg'>,
): Promise<TaskResult<'minify-svg'>> {
  const text = utf8Text(new Uint8Array(image.data));
  const small = text === undefined ? undefined : minifyMarkup(text);
  return { data: small === undefined ? image.data : new TextEncoder().encode(small).buffer };
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
