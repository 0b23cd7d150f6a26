/**
 * Reads an image's size from the header of its file, for the check before a task is queued. Main-thread safe: no
 * WebAssembly, bounded work, never throws. The limits proper are checked against the size that the decoder reads.
 */
import { Failure } from '../base/failure.ts';
import { probeBmp } from './bmp-read.ts';
import { FORMATS, type InputFormat } from './formats.ts';
import { readIconImages } from './icon.ts';
import { readJpegFrame } from './jpeg-frame.ts';
import { readJxlSize } from './jxl-size.ts';
import { Reader } from './metadata/bytes.ts';
import { readTiffTags } from './tiff-tags.ts';

/** Largest number of blocks that are read. A hostile file can hold one in every two or three bytes. */
const MAX_BLOCKS = 250_000;

export interface Size {
  width: number;
  height: number;
  /** Frames of an animation; undefined where they cannot be counted. */
  frames?: number | undefined;
}

/**
 * Reads the size of an image.
 * @returns undefined when the header does not contain it or cannot be read
 */
export function sizeOf(bytes: Uint8Array, format: InputFormat): Size | undefined {
  try {
    const size = SIZES[format]?.(bytes);
    return size && size.width * size.height > 0 ? size : undefined;
  } catch (error) {
    // The Reader throws a Failure when the file ends before its header does.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const SIZES: Partial<Record<InputFormat, (bytes: Uint8Array) => Size | undefined>> = {
  jpeg: readJpegFrame,
  jls: readJpegFrame,
  png: (bytes) => pngSize(new Reader(bytes, FORMATS.png.name)),
  webp: (bytes) => webpSize(new Reader(bytes, FORMATS.webp.name, true)),
  avif: (bytes) => heifSize(new Reader(bytes, FORMATS.avif.name)),
  heic: (bytes) => heifSize(new Reader(bytes, FORMATS.heic.name)),
  gif: (bytes) => gifSize(new Reader(bytes, FORMATS.gif.name, true)),
  tiff: tiffSize,
  bmp: probeBmp,
  ico: (bytes) => readIconImages(bytes)[0],
  jxl: (bytes) => jxlSize(new Reader(bytes, FORMATS.jxl.name)),
  psd: (bytes) => psdSize(new Reader(bytes, FORMATS.psd.name)),
  tga: (bytes) => tgaSize(new Reader(bytes, FORMATS.tga.name, true)),
};

/** Reads the size of a PNG. For an animation this is the default image, because only that is decoded. */
function pngSize(reader: Reader): Size {
  return { width: reader.u32(16), height: reader.u32(20) };
}

const RIFF_HEADER_BYTES = 12;

/**
 * Reads the size from the first chunk: lossy or lossless (14 bits per side), or extended (24 bits per side, minus one).
 */
function webpSize(reader: Reader): Size | undefined {
  const data = RIFF_HEADER_BYTES + 8;
  switch (reader.text(RIFF_HEADER_BYTES, 4)) {
    case 'VP8 ':
      return { width: reader.u16(data + 6) & 0x3fff, height: reader.u16(data + 8) & 0x3fff };
    case 'VP8L': {
      const bits = reader.u32(data + 1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: reader.u24(data + 4) + 1, height: reader.u24(data + 7) + 1, frames: webpFrames(reader) };
    default:
      return undefined;
  }
}

/**
 * Largest number of frames. libvips' time to read the header grows with the square of the frames: 0.5 s for 20,000, 15
 * s for 100,000.
 */
export const MAX_WEBP_FRAMES = 20_000;
/** The canvas is RGBA (libvips, `webp2vips.c`). */
const CANVAS_BYTES_PER_PIXEL = 4;

/**
 * Returns the bytes of the canvas on which libvips draws the frames of a WebP. It allocates it when it reads the
 * header.
 */
export function webpCanvasBytes({ width, height }: Size): number {
  return width * height * CANVAS_BYTES_PER_PIXEL;
}

/** `ANMF` as a little-endian number. Creating a string per chunk would be slow in a file of many chunks. */
const ANIMATION_FRAME = 0x464d4e41;

function webpFrames(reader: Reader): number {
  let frames = 0;
  let at = RIFF_HEADER_BYTES;
  for (let block = 0; block < MAX_BLOCKS && at + 8 <= reader.length; block++) {
    if (reader.u32(at) === ANIMATION_FRAME) frames++;
    const length = reader.u32(at + 4);
    at += 8 + length + (length % 2);
  }
  return frames;
}

const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;

function gifSize(reader: Reader): Size {
  const size = { width: reader.u16(6), height: reader.u16(8) };
  let frames = 0;
  let at = 13 + gifTableBytes(reader.u8(10));
  let block = 0;
  // Counts blocks and their sub-blocks. A file that ends early has the frames found so far.
  for (let inside = false; block < MAX_BLOCKS && at + 10 < reader.length; block++) {
    const byte = reader.u8(at);
    if (inside) {
      at += 1 + byte;
      inside = byte !== 0;
    } else if (byte === GIF_EXTENSION) {
      at += 2;
      inside = true;
    } else if (byte === GIF_FRAME) {
      frames++;
      // Skip the image descriptor, the colour table and the code size.
      at += 10 + gifTableBytes(reader.u8(at + 9)) + 1;
      inside = true;
    } else break;
  }
  return { ...size, frames: frames === 0 && block === MAX_BLOCKS ? undefined : frames };
}

function gifTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

const IMAGE_WIDTH = 256;
const IMAGE_LENGTH = 257;

/** Reads the size of the largest page, because the requested page is not known here. */
function tiffSize(bytes: Uint8Array): Size | undefined {
  const pages = readTiffTags(bytes, [IMAGE_WIDTH, IMAGE_LENGTH]);
  return largest(pages.map((tags) => ({ width: tags.get(IMAGE_WIDTH) ?? 0, height: tags.get(IMAGE_LENGTH) ?? 0 })));
}

/**
 * Reads the size of the largest image in the file. A grid is larger than its tiles, an image larger than its thumbnail.
 */
function heifSize(reader: Reader): Size | undefined {
  const [meta] = boxes(reader, 0, reader.length, 'meta');
  const [properties] = meta ? boxes(reader, meta.at + 4, meta.end, 'iprp') : [];
  const [container] = properties ? boxes(reader, properties.at, properties.end, 'ipco') : [];
  const extents = container ? boxes(reader, container.at, container.end, 'ispe') : [];
  return largest(extents.map(({ at }) => ({ width: reader.u32(at + 4), height: reader.u32(at + 8) })));
}

/**
 * Reads the size of a bare codestream or of one in a container. A container may split it into parts that start with
 * their number.
 */
function jxlSize(reader: Reader): Size | undefined {
  if (reader.u8(0) === 0xff) return readJxlSize(reader.bytes);
  const [whole] = boxes(reader, 0, reader.length, 'jxlc');
  if (whole) return readJxlSize(reader.bytes.subarray(whole.at));
  const [part] = boxes(reader, 0, reader.length, 'jxlp');
  return part && readJxlSize(reader.bytes.subarray(part.at + 4));
}

function psdSize(reader: Reader): Size {
  return { height: reader.u32(14), width: reader.u32(18) };
}

function tgaSize(reader: Reader): Size {
  return { width: reader.u16(12), height: reader.u16(14) };
}

const MAX_BOXES = 10_000;

interface Box {
  /** Offset of its content. */
  at: number;
  end: number;
}

/** Finds the boxes of one type between two offsets (ISO/IEC 14496-12, 4.2). */
function boxes(reader: Reader, start: number, end: number, type: string): Box[] {
  const found: Box[] = [];
  let at = start;
  for (let box = 0; box < MAX_BOXES && at + 8 <= end; box++) {
    const short = reader.u32(at);
    const header = short === 1 ? 16 : 8;
    const length = short === 1 ? reader.u64(at + 8) : short === 0 ? end - at : short;
    if (length < header) break;
    const boxEnd = Math.min(end, at + length);
    if (reader.text(at + 4, 4) === type) found.push({ at: at + header, end: boxEnd });
    at += length;
  }
  return found;
}

function largest(sizes: readonly Size[]): Size | undefined {
  return sizes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
}
