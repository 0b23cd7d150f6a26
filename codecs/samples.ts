/** The image that codecs other than libvips exchange. */
import type { Metadata } from './metadata/metadata.ts';
import type { Size } from './size.ts';

/**
 * Interleaved 8-bit samples, rows from top to bottom without padding: grey (1), RGB (3) or RGBA (4, not premultiplied).
 */
export interface Samples<Channels extends 1 | 3 | 4 = 1 | 3 | 4> extends Size {
  data: Uint8Array;
  channels: Channels;
}

/** Resolution in dots per inch. */
export type Density = NonNullable<Metadata['density']>;

export const METRES_PER_INCH = 0.0254;
