/** Files that cannot be read to their end: the second try, and what is said when that fails too. */
import { corruptImage, imageTooLarge } from '../../codecs/errors.ts';
import { formatOf } from '../../codecs/read.ts';
import { isDecodeError, vipsMessage } from '../../codecs/source.ts';
import { handlesFromHere, type VipsApi } from '../../codecs/vips.ts';
import type { Warning } from '../result.ts';
import type { SourceFile } from '../task.ts';

// The last two are those of the encoders of AVIF.
const OUT_OF_MEMORY = /out of memory|insufficient memory|failed to allocate|memory allocation/i;
const needsMoreMemory = () => imageTooLarge('as much memory as one request may use', 'a picture that needs more');

/**
 * Does the work, and when libvips refuses the file does it again with what can be read of one that ends early; the result
 * then warns `truncated_source`.
 * @throws Failure `corrupt_image` or `image_too_large` when that does not help
 */
export async function tolerateDamage<R extends { warnings: Warning[] }>(
  vips: VipsApi,
  { data, filename }: SourceFile,
  work: (tolerant: boolean) => Promise<R>,
): Promise<R> {
  const handles = handlesFromHere(vips);
  let first: unknown;
  try {
    return await work(false);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    first = error;
    // What was decoded until then would stand beside what is decoded now.
    handles.free();
  }
  try {
    const result = await work(true);
    return { ...result, warnings: [...result.warnings, 'truncated_source'] };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const message = vipsMessage(error);
    if (OUT_OF_MEMORY.test(message)) throw needsMoreMemory();
    throw corruptImage(await formatOf(new Uint8Array(data), filename), `${vipsMessage(first)}; then ${message}`);
  }
}

/** What an error of libvips means once the pixels are in memory: it was the encoder, and not the fault of the file. */
export function encoderFailed(error: unknown): unknown {
  if (!isDecodeError(error)) return error;
  const message = vipsMessage(error);
  return OUT_OF_MEMORY.test(message) ? needsMoreMemory() : new Error(`the encoder failed: ${message}`);
}
