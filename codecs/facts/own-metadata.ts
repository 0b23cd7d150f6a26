import type { FileFacts } from './facts.ts';

/** Returns the facts of formats whose headers always describe more than an image: a patient, a place, a measurement. */
export const ownMetadataFacts = (): FileFacts => ({ blocks: {}, ownMetadata: true });
