/** The contract of our own readers: one per format or family that libvips does not read (readers.ts). Worker side. */
import type { BitmapContent } from './bitmap.ts';
import type { Modules } from './modules.ts';
import type { Shrink } from './shrink.ts';
import type { VipsApi } from './vips.ts';

export interface PageRequest {
  /** 1-based. */
  page: number;
  /** Lower-case extension of the file's name, without the dot; '' when it has none. */
  extension: string;
}

export interface DecodeRequest extends PageRequest {
  /** Largest number of pixels of the image; more is `image_too_large`. Checked before anything is allocated. */
  maxPixels: number;
  /** Factor from the probed size to the drawn size. Only for readers that draw shapes (`scalable`). */
  scale: number;
  /**
   * Decode this many times smaller; the size is rounded up. Only for readers that support it (`shrinks`). Default: 1.
   */
  shrink?: Shrink;
}

/** What the worker shares with its readers. */
export interface ReaderContext {
  vips: VipsApi;
  modules: Modules;
  limits?: {
    /** Maximum number of scans of a JPEG. Default: DEFAULT_MAX_JPEG_SCANS. */
    jpegScans: number;
    /** Largest number of pixels of an image that has to be decoded as a whole. Default: no limit. */
    decodedPixels?: number;
  };
}

/** The header of one page, read before any pixel is decoded. */
export interface Probe {
  /** Upright, the same as the result of {@link FormatReader.decode}. */
  width: number;
  height: number;
  /** Pages, frames or planes in the file. */
  pages: number;
  /** Bits per sample as decoded. */
  depth: 8 | 16;
  /** Bits per sample in the file, if decoding reduces them. Default: `depth`. */
  storedDepth?: number;
  hasAlpha: boolean;
  /** The pages play as an animation. */
  animated?: boolean;
  /** The decoded image is a preview embedded in the file, not its main image. */
  preview?: boolean;
  /** Channels of a grey bitmap. Default: three colours, plus alpha if there is any. */
  channels?: 1 | 2;
  /**
   * Peak memory of decoding besides the file and the bitmap, in bytes; for a drawing, at scale 1. Default: the size of
   * the bitmap, which covers the file's samples or an upright copy.
   */
  workingBytes?: number;
}

/**
 * Both functions must handle any bytes that match the signature of the format, however hostile. They finish in bounded
 * time and memory and throw nothing but a `Failure`.
 */
export interface FormatReader {
  /**
   * Reads only the header. Fast whatever the size of the image.
   * @throws Failure `corrupt_image`, `page_out_of_range`, `password_protected`, `unsupported_format`
   */
  probe(bytes: Uint8Array, request: PageRequest, context: ReaderContext): Probe | Promise<Probe>;
  /**
   * Decodes one page to a bitmap, or returns a file inside the file. The bitmap has exactly the size (multiplied by
   * `scale`, divided by `shrink`) and alpha that `probe` returned.
   * @throws Failure `corrupt_image`, `page_out_of_range`, `image_too_large`
   */
  decode(bytes: Uint8Array, request: DecodeRequest, context: ReaderContext): BitmapContent | Promise<BitmapContent>;
  /** Whether the format is drawn instead of decoded, which supports `scale`. */
  scalable?: boolean;
  /** Whether the reader supports `shrink`. */
  shrinks?: boolean;
}
