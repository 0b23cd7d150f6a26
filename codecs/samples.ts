/** The image that codecs other than libvips exchange. */
import type { Size } from '../base/geometry.ts';
import type { SampleData } from '../base/sample-data.ts';
import type { Metadata } from './metadata/metadata.ts';

/**
 * Interleaved samples, rows from top to bottom without padding: grey (1), RGB (3) or RGBA (4, not premultiplied). 8 bits
 * unless declared otherwise.
 */
export interface Samples<Channels extends 1 | 3 | 4 = 1 | 3 | 4, Data extends SampleData = Uint8Array> extends Size {
  data: Data;
  channels: Channels;
}

/** Samples of 8 or 16 bits. */
export type AnySamples = Samples<1 | 3 | 4, SampleData>;

/** Resolution in dots per inch. */
export type Density = NonNullable<Metadata['density']>;

export const METRES_PER_INCH = 0.0254;
