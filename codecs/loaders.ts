/** How libvips opens each format: one entry per format, with the options of that format's loader. */

import type { InputFormat } from './formats/registry.ts';
import { webpCanvasBytes } from './formats/webp/size.ts';
import { clearToTransparent } from './gif-clearing.ts';
import { coverScreen } from './gif-screen.ts';
import { decodeJpegPixels, decodeResizedJpeg } from './jpeg.ts';
import { readJpegFacts } from './jpeg-facts.ts';
import { coefficientBytes } from './jpeg-scans.ts';
import { startsWith } from './metadata/bytes.ts';
import { tryParse } from './metadata/damage.ts';
import { endsEarly } from './metadata/gif.ts';
import type { Modules } from './modules.ts';
import { imagesOf } from './mpf.ts';
import type { DecodedPixels, Header, ImageFacts, PixelRequest, ResizeRequest } from './picture.ts';
import { isPlainPnm, packPlainPnm } from './plain-pnm.ts';
import { recoverPng } from './png/recovery.ts';
import { decodePngPixels } from './png.ts';
import type { Shrink } from './shrink.ts';
import { readTiffLayout } from './tiff-layout.ts';
import type { Image, VipsApi } from './vips.ts';
import { wholeFrames } from './webp-animation.ts';

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
  /** Whether the format itself supports decoding at a smaller size. */
  shrinks: boolean;
}

const common = ({ sequential, tolerant }: LoadOptions) => ({
  access: sequential ? 'sequential' : 'random',
  // Above 100 MB libvips would decode into a temporary file, which is also in memory here, only slower.
  memory: !sequential,
  fail_on: tolerant ? 'none' : 'truncated',
});

const pages = ({ page, allFrames }: LoadOptions) => ({ page: page - 1, ...(allFrames ? { n: -1 } : {}) });

/** Whether a file is a portable float map, grey or RGB. */
const isPfm = (bytes: Uint8Array): boolean => startsWith(bytes, 'Pf') || startsWith(bytes, 'PF');

/** The formats that libvips reads. The others have readers of our own (readers.ts). */
export const LOADERS: Partial<Record<InputFormat, Loader>> = {
  jpeg: {
    load: (vips, bytes, options) =>
      vips.Image.jpegloadBuffer(bytes, { ...common(options), shrink: options.shrink, unlimited: true }),
    readFacts: readJpegFacts,
    decode: decodeJpegPixels,
    decodeResized: decodeResizedJpeg,
    files: imagesOf,
    workingBytesPerPixel: () => 0,
    // libvips reports every file of several scans as interlaced, also sequential ones.
    decoderBytes: ({ interlaced, width, height, bytesPerPixel }) =>
      interlaced ? coefficientBytes(width * height, bytesPerPixel) : 0,
    shrinks: true,
  },
  png: {
    load: (vips, bytes, options) => vips.Image.pngloadBuffer(bytes, { ...common(options), unlimited: true }),
    decode: decodePngPixels,
    recover: recoverPng,
    workingBytesPerPixel: ({ interlaced, bytesPerPixel }) => (interlaced ? bytesPerPixel : 0),
    shrinks: false,
  },
  webp: {
    load: (vips, bytes, options) =>
      vips.Image.webploadBuffer(bytes, { ...common(options), ...pages(options), scale: 1 / options.shrink }),
    repair: (bytes) => ({ bytes: wholeFrames(bytes) ?? bytes, added: 0 }),
    endsEarly: (bytes) => wholeFrames(bytes) !== undefined,
    workingBytesPerPixel: () => 12,
    decoderBytes: webpCanvasBytes,
    shrinks: true,
  },
  avif: {
    // Page 1 is the primary image, which need not be the first one stored.
    load: (vips, bytes, options) =>
      vips.Image.heifloadBuffer(bytes, {
        ...common(options),
        ...(options.page > 1 ? pages(options) : {}),
        unlimited: true,
      }),
    workingBytesPerPixel: ({ depth }) => (depth === 8 ? 8 : 16),
    shrinks: false,
  },
  gif: {
    load: (vips, bytes, options) => vips.Image.gifloadBuffer(bytes, { ...common(options), ...pages(options) }),
    repair(bytes) {
      const covered = coverScreen(bytes);
      return { bytes: clearToTransparent(covered ?? bytes), added: covered ? 1 : 0 };
    },
    endsEarly,
    workingBytesPerPixel: () => 8,
    shrinks: false,
  },
  tiff: {
    load: (vips, bytes, options) =>
      vips.Image.tiffloadBuffer(bytes, { ...common(options), ...pages(options), unlimited: true }),
    workingBytesPerPixel: ({ bytesPerPixel }) => bytesPerPixel,
    decoderBytes: ({ bytesPerPixel }, bytes, page) =>
      (tryParse(() => readTiffLayout(bytes, page))?.heldPixels ?? 0) * bytesPerPixel,
    shrinks: false,
  },
  pnm: {
    load: (vips, bytes, options) => {
      if (isPlainPnm(bytes)) return vips.Image.ppmloadBuffer(packPlainPnm(bytes), common(options));
      if (!isPfm(bytes)) return vips.Image.ppmloadBuffer(bytes, common(options));
      // Its rows run from bottom to top. libvips leaves flipping them to its callers.
      return vips.Image.ppmloadBuffer(bytes, common({ ...options, sequential: false })).flip('vertical');
    },
    workingBytesPerPixel: ({ bytesPerPixel }) => bytesPerPixel,
    shrinks: false,
  },
  hdr: {
    load: (vips, bytes, options) => vips.Image.radloadBuffer(bytes, common(options)),
    workingBytesPerPixel: () => 0,
    shrinks: false,
  },
  jxl: {
    load: (vips, bytes, options) =>
      vips.Image.jxlloadBuffer(bytes, { ...common(options), ...(options.page > 1 ? pages(options) : {}) }),
    workingBytesPerPixel: () => 16,
    shrinks: false,
  },
};
