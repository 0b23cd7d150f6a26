/** A decoded picture on its way from a decoder through the steps to an encoder. */
import type { InputFormat } from './formats.ts';
import type { Shrink } from './shrink.ts';
import type { Image } from './vips.ts';
import { bytesPerSample } from './vips-memory.ts';

/** How the frames of an animation play. */
export interface Timing {
  /** Milliseconds per frame; as many as there are frames. */
  delays: number[];
  /** How often it plays; 0 is for ever. */
  loop: number;
}

export interface Picture {
  /** The frames, all of one size, upright. A still picture has one. */
  frames: [Image, ...Image[]];
  /** null for a still picture. */
  timing: Timing | null;
  /** The profile that the samples are in, when it was kept; without it they are sRGB (or grey with the sRGB curve). */
  icc: Uint8Array | undefined;
}

/** What the header of a file says, before any pixel is decoded. */
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
  /** Frames of an animation, 1 for anything else. */
  frames: number;
  timing: Timing | null;
  /** The file holds moving pictures, even of a format that is read as a still one. */
  animated: boolean;
  /** Bytes of one decoded pixel, as stored. */
  bytesPerPixel: number;
  /** Bits per sample as decoded: 8, 16 or 32. */
  depth: 8 | 16 | 32;
  hasAlpha: boolean;
  /** An interlaced PNG or a progressive JPEG. */
  interlaced: boolean;
  /** The pixels are those of a preview that the file brings along, not of its main picture. */
  preview: boolean;
}

/** What is known of an image before its pixels are decoded. */
export interface ImageFacts extends Pick<Image, 'width' | 'height' | 'bands' | 'interpretation'> {
  bytesPerSample: number;
  hasAlpha: boolean;
  interlaced: boolean;
  /** Of EXIF; undefined where none is recorded. */
  orientation: number | undefined;
  icc: Uint8Array | undefined;
}

/** What a decoder of our own is asked for. */
export interface PixelRequest {
  /** Of the pixels that libvips would give. */
  width: number;
  height: number;
  /** In the header. */
  interlaced: boolean;
  shrink: Shrink;
}

/** The same, for a picture of another size. */
export interface ResizeRequest {
  /** Pixels that are decoded before, all of which take memory where the file is interlaced. */
  pixels: number;
  interlaced: boolean;
  /** As it is stored. */
  size: { width: number; height: number };
}

/** What it answers. */
export interface DecodedPixels {
  /** Interleaved samples. */
  data: Uint8Array<ArrayBuffer>;
  /** Bits of a sample; 16 in the order of bytes of libvips, which is that of WebAssembly. Default: 8. */
  depth?: 8 | 16;
  width: number;
  height: number;
  bands: number;
}

/** Applies one function to every frame. */
export function mapFrames(picture: Picture, change: (frame: Image) => Image): Picture {
  const [first, ...rest] = picture.frames;
  return { ...picture, frames: [change(first), ...rest.map(change)] };
}

/** libvips marks images whose rows come once, and all that is made of them. */
const SEQUENTIAL_FIELD = 'vips-sequential';

export function isSequential(image: Image): boolean {
  return image.getTypeof(SEQUENTIAL_FIELD) !== 0;
}

/** An image whose rows can be read several times, unless it has more pixels than that and its rows come once. */
export function rereadable(image: Image, maxPixels: number): Image {
  return isSequential(image) && image.width * image.height <= maxPixels ? imageInMemory(image) : image;
}

/** Decodes and computes everything that is still pending, once. */
export function imageInMemory(image: Image): Image {
  const copy = image.copyMemory();
  copy.remove(SEQUENTIAL_FIELD);
  return copy;
}

/** The same with all frames. */
export function copyToMemory(picture: Picture): Picture {
  return mapFrames(picture, imageInMemory);
}

/** Memory that the samples take, in bytes. */
export function decodedBytes({ frames }: Picture): number {
  const [{ width, height, bands, format }] = frames;
  return width * height * bands * bytesPerSample(format) * frames.length;
}
