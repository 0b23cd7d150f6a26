/** Reads text files without a reader, and those that are not edited as sources: minified, very large or not UTF-8. */
import { sha256Of, withFile } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { isSourceName } from '../project/rules.ts';
import { type SkippedFile, textOfBytes } from '../project/walk.ts';
import type { Source } from './source.ts';

/** Skip reasons of files that are searched. Secrets and files ignored by git are never read. */
const SEARCHED_SKIP_REASONS: ReadonlySet<SkippedFile['skipped']> = new Set([
  'unknown_kind',
  'minified',
  'too_large',
  'lock_file',
  'binary',
]);
const MAX_BYTES = 50_000_000;
const HEAD_BYTES = 8192;

/** Yields the texts one at a time, since some are large. Files that cannot be read or no longer exist are omitted. */
export async function* otherTexts(
  root: ProjectRoot,
  skipped: readonly SkippedFile[],
  signal: AbortSignal,
): AsyncGenerator<Omit<Source, 'places'>> {
  for (const { path, skipped: reason, folder } of skipped) {
    if (folder || !SEARCHED_SKIP_REASONS.has(reason)) continue;
    signal.throwIfAborted();
    const source = await readText(root, path).catch(() => undefined);
    if (source) yield source;
  }
}

async function readText(root: ProjectRoot, path: string): Promise<Omit<Source, 'places'> | undefined> {
  const head = await withFile(root, path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return { bytes: buffer.subarray(0, bytesRead), mode: (await file.stat()).mode & 0o7777 };
  });
  const encoding = head && encodingOf(head.bytes, isSourceName(path));
  if (!encoding) return undefined;
  const bytes = await root.read(path, MAX_BYTES);
  const text = (encoding === 'utf-8' ? textOfBytes(bytes) : undefined) ?? decode(bytes, encoding);
  return { path, text, state: { sha256: sha256Of(bytes), bytes: bytes.length, mode: head.mode } };
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** @param isSource whether the file is known to be text @returns undefined if it is not text */
function encodingOf(head: Uint8Array, isSource: boolean): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const [even, odd] = zeros as [number, number];
  if (even + odd === 0) return 'utf-8';
  if (!isSource) return undefined;
  // In UTF-16, every second byte of most letters is zero.
  if (Math.max(even, odd) < head.length / 8) return 'windows-1252';
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/**
 * Decodes text that is neither UTF-8 nor UTF-16 as Windows-1252. Other encodings also store the ASCII characters of
 * addresses as single bytes.
 */
const decode = (bytes: Uint8Array, encoding: Encoding): string =>
  new TextDecoder(encoding === 'utf-8' ? 'windows-1252' : encoding).decode(bytes);
