import type { FileFacts } from './facts.ts';

/** Returns the facts of formats made for high dynamic range. */
export function highDynamicRange(): FileFacts {
  return { blocks: {}, colour: { hdr: true } };
}
