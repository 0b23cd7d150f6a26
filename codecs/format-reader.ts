/** The contract of a reader of ours: one per format or family that libvips does not read (readers.ts). Worker side. */
import type { BitmapContent } from './bitmap.ts';
import type { Modules } from './modules.ts';
import type { Shrink } from './shrink.ts';
import type { VipsApi } from './vips.ts';

export interface PageRequest {
  /** From 1. */
  page: number;
  /** Lower-case extension of the file's name, without the dot; '' when it has none. */
  extension: string;
}

export interface DecodeRequest extends PageRequest {
  /** Pixels of the picture that may be allocated; more is `image_too_large`. Checked before anything is allocated. */
  maxPixels: number;
  /** Only formats of shapes, not pixels (`scalable`): pixels to draw for each pixel of the size that the probe answers. */
  scale: number;
  /** How many times smaller to decode; the size is rounded up. Only for readers that shrink (`shrinks`). Default: 1. */
  shrink?: Shrink;
}

/** What the worker shares with its readers. */
export interface ReaderContext {
  vips: VipsApi;
  modules: Modules;
  limits?: {
    /** Maximum number of scans of a JPEG. Default: DEFAULT_MAX_JPEG_SCANS. */
    jpegScans: number;
    /** Pixels of a picture that has to be decoded as a whole. Default: no limit. */
    decodedPixels?: number;
  };
}

/** What the header of one page says, before any pixel is decoded. */
export interface Probe {
  /** Upright, as {@link FormatReader.decode} will answer it. */
  width: number;
  height: number;
  /** Pages, frames or planes of the file. */
  pages: number;
  /** Bits of a sample as decoded. */
  depth: 8 | 16;
  hasAlpha: boolean;
  /** The pages play as an animation. */
  animated?: boolean;
  /** What is decoded is a preview that the file brings along, not its main picture. */
  preview?: boolean;
  /** Channels of a grey bitmap. Default: three colours, and alpha if there is any. */
  channels?: 1 | 2;
  /**
   * Peak memory of decoding besides the file and the bitmap, in bytes; of a drawing, at scale 1. Default: the size of the
   * bitmap, for the samples of the file or an upright copy.
   */
  workingBytes?: number;
}

/**
 * Both functions may be asked for any bytes that the signature of the format lets through, however hostile: they end in
 * bounded time and memory and throw nothing but a `Failure`.
 */
export interface FormatReader {
  /**
   * The header alone: quick whatever the size of the picture.
   * @throws Failure `corrupt_image`, `page_out_of_range`, `password_protected`, `unsupported_format`
   */
  probe(bytes: Uint8Array, request: PageRequest, context: ReaderContext): Probe | Promise<Probe>;
  /**
   * One page: a bitmap with exactly the size (multiplied by `scale`, divided by `shrink`) and alpha that `probe` answered,
   * or a file inside the file.
   * @throws Failure `corrupt_image`, `page_out_of_range`, `image_too_large`
   */
  decode(bytes: Uint8Array, request: DecodeRequest, context: ReaderContext): BitmapContent | Promise<BitmapContent>;
  /** Whether it is drawn, not decoded: supports `scale`. */
  scalable?: boolean;
  /** Whether it supports `shrink`. */
  shrinks?: boolean;
}
