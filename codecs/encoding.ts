/** What an encoder is given. Worker side. */
import type { CodePoints } from './code-points.ts';
import type { Metadata } from './metadata/metadata.ts';
import type { Modules } from './modules.ts';
import type { PngSettings } from './png.ts';
import type { Image, VipsApi } from './vips.ts';

export interface EncodeContext {
  vips: VipsApi;
  modules: Modules;
}

export interface LossyEncoding {
  lossless: false;
  /** 1 to 100. */
  quality: number;
  /** JPEG and AVIF only: the quality that decides the chroma resolution. Default: chosen from the quality. */
  chromaQuality?: number;
  /** Use full chroma resolution, if the format supports a choice. */
  fullChroma: boolean;
  /**
   * AVIF only: pixel count that decides the encoder's speed, for an image that is part of a larger one. Default: its
   * own.
   */
  wholePixels?: number;
  /** The image is one of many encodings in a search for a file size, so AVIF is encoded quickly. Default: false. */
  repeated?: boolean;
  /** JPEG only: the sequential coding, which every reader supports. Default: the smaller coding. */
  baseline?: boolean;
}

export type Encoding =
  | { lossless: true /** What a PNG must keep besides its pixels. */; png?: PngSettings }
  | LossyEncoding;

export type Encoder = (
  image: Image,
  encoding: Encoding,
  context: EncodeContext,
  metadata: Metadata,
  /** Number of frames, which are stacked vertically in the image. */
  frames: number,
  /** Of the samples; only for formats that record them. */
  codePoints: CodePoints | undefined,
) => Uint8Array | Promise<Uint8Array>;
