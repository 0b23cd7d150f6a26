import type { FileFacts } from './facts.ts';

/** Returns the facts of formats made for high dynamic range. */
export const highDynamicRange = (): FileFacts => ({ blocks: {}, colour: { hdr: true } });
