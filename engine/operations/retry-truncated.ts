/** Handles files that cannot be read to their end: the second attempt, and the error if that fails too. */
import type { Failure } from '../../base/failure.ts';
import { corruptImage, needsMoreMemory } from '../../codecs/errors.ts';
import { formatOf } from '../../codecs/read.ts';
import { isDecodeError, vipsMessage } from '../../codecs/source.ts';
import { trackHandles, type VipsApi } from '../../codecs/vips.ts';
import type { Warning } from '../result.ts';
import type { SourceFile } from '../task.ts';

// The last two patterns are messages of the AVIF encoders.
const OUT_OF_MEMORY = /out of memory|insufficient memory|failed to allocate|memory allocation/i;

/**
 * Runs the work. If libvips refuses the file, runs it again and accepts a file that ends early; the result then has the
 * warning `truncated_source`.
 * @throws Failure `corrupt_image` or `image_too_large` if the second attempt fails too
 */
export async function retryTruncated<R extends { warnings: Warning[] }>(
  vips: VipsApi,
  file: SourceFile,
  work: (tolerant: boolean) => Promise<R>,
): Promise<R> {
  const handles = trackHandles(vips);
  let first: unknown;
  try {
    return await work(false);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    first = error;
    // Otherwise the pixels of both attempts would be in memory together.
    handles.free();
  }
  try {
    const result = await work(true);
    return { ...result, warnings: [...result.warnings, 'truncated_source'] };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw await decodeFailure(error, file, `${vipsMessage(first)}; then `);
  }
}

/**
 * Runs work that accepts a file that ends early.
 * @throws Failure `corrupt_image` or `image_too_large` where libvips refuses the file
 */
export async function withDecodeFailures<R>(file: SourceFile, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw await decodeFailure(error, file);
  }
}

async function decodeFailure(error: unknown, { data, filename }: SourceFile, before = ''): Promise<Failure> {
  const message = vipsMessage(error);
  if (OUT_OF_MEMORY.test(message)) return needsMoreMemory();
  return corruptImage(await formatOf(new Uint8Array(data), filename), `${before}${message}`);
}

/** Interprets an error of libvips once the pixels are in memory: the encoder failed, not the file. */
export function encoderFailed(error: unknown): unknown {
  if (!isDecodeError(error)) return error;
  const message = vipsMessage(error);
  return OUT_OF_MEMORY.test(message) ? needsMoreMemory() : new Error(`the encoder failed: ${message}`);
}
