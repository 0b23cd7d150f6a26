/** The contract of the loaders of libvips: how it opens a format, with which options. Worker side. */

import type { DecodedPixels, Header, ImageFacts, PixelRequest, ResizeRequest } from './decoded-image.ts';
import type { Modules } from './modules.ts';
import type { Shrink } from './shrink.ts';
import type { Image, VipsApi } from './vips.ts';

export interface LoadOptions {
  /** 1-based. */
  page: number;
  /** Load all frames of an animation from that page on, stacked vertically, instead of one page. */
  allFrames: boolean;
  /** Decode at 1/2, 1/4 or 1/8 of the size, if the format supports it. */
  shrink: Shrink;
  /** Rows are read once, from top to bottom. Otherwise the whole image is decoded into memory. */
  sequential: boolean;
  /** Use what can be read of a file that ends early. */
  tolerant: boolean;
}

export interface Repaired {
  bytes: Uint8Array;
  /** Pages added in front that do not belong to the file. */
  added: number;
}

export interface Loader {
  load(vips: VipsApi, bytes: Uint8Array, options: LoadOptions): Image;
  /**
   * Returns the same pixels as `load`, from a faster decoder. Undefined if that does not read the file, or not all of
   * it.
   */
  decode?(modules: Modules, bytes: Uint8Array, request: PixelRequest): DecodedPixels | undefined;
  /** Decodes to a smaller size, row by row. */
  decodeResized?(modules: Modules, bytes: Uint8Array, request: ResizeRequest): DecodedPixels | undefined;
  /**
   * Returns the same facts as `load` for a file of one image, from a faster reader. Undefined if that does not read the
   * file.
   */
  readFacts?(modules: Modules, bytes: Uint8Array): ImageFacts | undefined;
  /**
   * Repairs a file that libvips would misread, or refuse although some of it can be read. The result is loaded instead.
   */
  repair?(bytes: Uint8Array): Repaired;
  /**
   * Repairs a damaged file for which libvips would show content that it does not contain. The result is loaded instead.
   */
  recover?(bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * Loads a still image that ends early, if `repair` invents what is missing: only what the file holds is shown.
   * @param bytes the file before `repair`
   * @returns undefined if it lacks no pixels
   */
  loadTruncated?(vips: VipsApi, bytes: Uint8Array, options: LoadOptions): Image | undefined;
  /** Returns the files inside the file, one per page, if libvips reads only the first of them. */
  files?(bytes: Uint8Array): [Uint8Array, ...Uint8Array[]];
  /** Whether a file ends early, if libvips does not report it. */
  endsEarly?(bytes: Uint8Array): boolean;
  /**
   * Bytes per pixel of a frame that the decoder needs besides the image when it decodes it as a whole. Estimated from
   * its buffers. A file that takes more fails at libvips' memory limit.
   */
  workingBytesPerPixel(header: Header): number;
  /**
   * Returns `decoderBytes` of the `Source`; default: 0.
   * @param page 1-based
   */
  decoderBytes?(header: Header, bytes: Uint8Array, page: number): number;
  /** Whether a file that is read as a still image contains an animation. */
  isAnimated?(bytes: Uint8Array, pages: number): boolean;
  /** The passes of an interlaced file are stored one after the other, so all of it is decoded before its first row. */
  holdsInterlaced?: true;
  /** Whether the format itself supports decoding at a smaller size. */
  shrinks: boolean;
}

/** Options of all loaders of libvips. */
export const commonOptions = ({ sequential, tolerant }: LoadOptions) => ({
  access: sequential ? 'sequential' : 'random',
  // Above 100 MB libvips would decode into a temporary file, which is also in memory here, only slower.
  memory: !sequential,
  fail_on: tolerant ? 'none' : 'truncated',
});

/** Options of loaders of several pages. */
export const pageOptions = ({ page, allFrames }: LoadOptions) => ({ page: page - 1, ...(allFrames ? { n: -1 } : {}) });
