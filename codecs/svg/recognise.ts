/** Detects SVG, compressed or not. Safe on the main thread: bounded work, never throws. */
import { readMarkupHead } from './markup.ts';
import { readProlog } from './prolog.ts';

/** Large enough for the licences and entities that some editors write in front of the first element. */
const HEAD_BYTES = 32_768;

/** Whether the first element of an XML document is `svg`, or its document type declares so. */
export function isSvg(bytes: Uint8Array): boolean {
  const { root, declared } = readProlog(readMarkupHead(bytes, HEAD_BYTES));
  return (root?.name ?? declared) === 'svg';
}
