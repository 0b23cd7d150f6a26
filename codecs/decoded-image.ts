/** A decoded image that passes from a decoder through the steps to an encoder. */
import type { Size } from '../base/geometry.ts';
import type { CodePoints } from './code-points.ts';
import type { InputFormat } from './formats/registry.ts';
import type { Shrink } from './shrink.ts';
import type { Image } from './vips.ts';
import { bytesPerSample } from './vips-memory.ts';

/** How the frames of an animation play. */
export interface Timing {
  /** Milliseconds per frame, one per frame. */
  delays: number[];
  /** How often it plays; 0 means forever. */
  loop: number;
}

export interface DecodedImage {
  /** The frames, all of one size, upright. A still image has one. */
  frames: [Image, ...Image[]];
  /**
   * All frames in one image, each below the one before, if they are parts of it: reading many small frames one by one
   * takes a millisecond or more for each.
   */
  column?: Image | undefined;
  /** null for a still image. */
  timing: Timing | null;
  /** The profile that the samples are in, if it was kept. Without it they are sRGB, or grey with the sRGB curve. */
  icc: Uint8Array | undefined;
  /** The code points (ITU-T H.273) that the samples are in, if they were kept. */
  codePoints?: CodePoints;
}

/** The header of a file, read before any pixel is decoded. */
export interface Header {
  format: InputFormat;
  /** As stored in the file. */
  storedWidth: number;
  storedHeight: number;
  /** As displayed. */
  width: number;
  height: number;
  /** EXIF orientation, 1 to 8. */
  orientation: number;
  pages: number;
  /** Frames of an animation; 1 otherwise. */
  frames: number;
  timing: Timing | null;
  /** The file contains an animation, even if its format is read as a still image. */
  animated: boolean;
  /** Bytes per decoded pixel, as stored. */
  bytesPerPixel: number;
  /** Bits per sample as decoded: 8, 16 or 32. */
  depth: 8 | 16 | 32;
  /** Bits per sample in the file. More than `depth` if its decoder reduces them. */
  storedDepth: number;
  hasAlpha: boolean;
  /** An interlaced PNG or a progressive JPEG. */
  interlaced: boolean;
  /** The pixels are those of a preview embedded in the file, not of its main image. */
  preview: boolean;
}

/** What is known about an image before its pixels are decoded. */
export interface ImageFacts extends Pick<Image, 'width' | 'height' | 'bands' | 'interpretation'> {
  bytesPerSample: number;
  /** Bits per sample in the file, if its decoder says that they are fewer than those of a sample in memory. */
  bitsPerSample?: number | undefined;
  hasAlpha: boolean;
  interlaced: boolean;
  /** EXIF orientation; undefined if none is recorded. */
  orientation: number | undefined;
  icc: Uint8Array | undefined;
}

/** A request to a decoder of our own. */
export interface PixelRequest {
  /** Size of the image that libvips would return. */
  width: number;
  height: number;
  /** As in the header. */
  interlaced: boolean;
  shrink: Shrink;
}

/** A request for an image of another size. */
export interface ResizeRequest {
  /** Pixels before resizing. All of them take memory if the file is interlaced. */
  pixels: number;
  interlaced: boolean;
  /** Size before rotation, as stored. */
  size: { width: number; height: number };
}

/** The result of a decoder of our own. */
export interface DecodedPixels extends Size {
  /** Interleaved samples. */
  data: Uint8Array<ArrayBuffer>;
  /** Bits per sample. 16-bit samples are in libvips' byte order, which is that of WebAssembly. Default: 8. */
  depth?: 8 | 16;
  bands: number;
}

/** Applies one function to every frame. */
export function mapFrames(image: DecodedImage, change: (frame: Image) => Image): DecodedImage {
  const [first, ...rest] = image.frames;
  return { ...image, frames: [change(first), ...rest.map(change)], column: undefined };
}

/** Replaces the frames by one. */
export const withFrame = (image: DecodedImage, frame: Image): DecodedImage => ({
  ...image,
  frames: [frame],
  column: undefined,
});

/** libvips sets this field on images whose rows can be read only once, and on all images derived from them. */
const SEQUENTIAL_FIELD = 'vips-sequential';

export const isSequential = (image: Image): boolean => image.getTypeof(SEQUENTIAL_FIELD) !== 0;

/**
 * Returns an image whose rows can be read several times. An image with more than `maxPixels` pixels is returned
 * unchanged.
 */
export const rereadable = (image: Image, maxPixels: number): Image =>
  isSequential(image) && image.width * image.height <= maxPixels ? imageInMemory(image) : image;

/** Computes all pending pixels once and keeps them in memory. */
export function imageInMemory(image: Image): Image {
  const copy = image.copyMemory();
  copy.remove(SEQUENTIAL_FIELD);
  return copy;
}

/** Copies all frames to memory. */
export const copyToMemory = (image: DecodedImage): DecodedImage => mapFrames(image, imageInMemory);

/** Returns the memory of the samples, in bytes. */
export function decodedBytes({ frames }: DecodedImage): number {
  const [{ width, height, bands, format }] = frames;
  return width * height * bands * bytesPerSample(format) * frames.length;
}
