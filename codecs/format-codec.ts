/** The contract of `codec.ts` in a format's folder: how its pixels are read and written. Worker side. */

import type { Encoder } from './encoding.ts';
import type { FormatReader, ReaderContext } from './format-reader.ts';
import type { Loader } from './loader.ts';

export interface FormatCodec {
  /** How libvips reads it. */
  loader?: Loader;
  /** Our own reader of formats that libvips does not read. */
  reader?: FormatReader;
  /** The reader of files that libvips refuses. */
  fallback?: {
    applies(bytes: Uint8Array, page: number): boolean;
    load(): Promise<FormatReader>;
  };
  /**
   * Checks the header before any decoder reads it.
   * @throws Failure `corrupt_image`, `image_too_large`
   */
  checkHeader?(bytes: Uint8Array, page: number, limits: ReaderContext['limits']): void;
  /** Of the formats that can be written. */
  encode?: Encoder;
}
