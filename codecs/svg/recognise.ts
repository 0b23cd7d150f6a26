/** Recognises SVG, packed or not. Main-thread safe: bounded work, never throws. */
import { readMarkupHead } from './markup.ts';
import { readProlog } from './prolog.ts';

/** Licences and the entities of some editors stand before the first element. */
const HEAD_BYTES = 32_768;

/** Whether the first element of an XML document is `svg`, or its document type says that it will be. */
export function isSvg(bytes: Uint8Array): boolean {
  const { root, declared } = readProlog(readMarkupHead(bytes, HEAD_BYTES));
  return (root?.name ?? declared) === 'svg';
}
