/**
 * What the header of a file tells of the cost of its decoding, before its task is queued. Main-thread safe: bounded work, never
 * throws.
 */
import { MAX_WEBP_FRAMES, type Size, sizeOf, webpCanvasBytes } from '../codecs/dimensions.ts';
import type { InputFormat } from '../codecs/formats.ts';
import { isDeep, readJpegFrame } from '../codecs/jpeg-frame.ts';
import { coefficientBytes, estimateJpegScans } from '../codecs/jpeg-scans.ts';
import { attempt } from '../codecs/metadata/damage.ts';
import { hasPngData } from '../codecs/png/rows.ts';
import { isTiff, sniff } from '../codecs/sniff.ts';
import { readTiffLayout } from '../codecs/tiff-layout.ts';
import type { EngineLimits } from './settings.ts';

/** What the header of a file tells of its cost. */
export interface HeaderCost {
  format: InputFormat | undefined;
  /** Of one frame of an animation. */
  pixels: number;
  /** Of an animation; else 1. */
  frames: number;
  /** Of a JPEG; else 1. */
  scans: number;
  /** Its rows can be decoded as they are asked for. */
  streams: boolean;
  /** What the decoder holds also when its rows are asked for one after the other, in bytes. */
  decoderBytes: number;
  /** Decoded by a reader of our own, into buffers of JavaScript. */
  isBuffered: boolean;
  /** The worker refuses it from its header. */
  isRefused: boolean;
}

export const REFUSED: HeaderCost = {
  format: undefined,
  pixels: 0,
  frames: 1,
  scans: 1,
  streams: true,
  decoderBytes: 0,
  isBuffered: false,
  isRefused: true,
};

/** A header that says no size is charged like a common photograph: ten pixels per byte. */
const PIXELS_PER_BYTE = 10;
/** Formats whose rows libvips decodes as they are asked for, where the file has them one after the other. */
const STREAMING: ReadonlySet<InputFormat | undefined> = new Set(['jpeg', 'png', 'tiff', 'pnm', 'hdr']);
/** Those of codecs/loaders.ts, which the main thread does not load. */
export const LIBVIPS_FORMATS: ReadonlySet<InputFormat> = new Set([
  'jpeg',
  'png',
  'webp',
  'avif',
  'gif',
  'tiff',
  'pnm',
  'hdr',
  'jxl',
]);
/**
 * What is counted of PDFium, in bytes. How much a page takes is not known before it is read: up to 352 MiB (codecs/pdf/pdfium.ts). Counted
 * at all, a page waits until workers that such pages have used up have given their memory back.
 */
const PDFIUM_BYTES = 64 * 2 ** 20;
/** Of the interlace method in the header of a PNG (PNG specification, 11.2.2). */
const PNG_INTERLACE_OFFSET = 28;

interface Details {
  size?: Size | undefined;
  scans?: number;
  streams?: boolean;
  decoderBytes?: number;
  /** The file ends before its first pixel, or has more frames than are read. */
  isRefused?: boolean;
}

/** @param page that is asked for, from 1 */
export function headerCostOf(data: ArrayBuffer, page: number, limits: EngineLimits): HeaderCost {
  const bytes = new Uint8Array(data);
  const format = sniff(bytes) ?? (isTiff(bytes) ? 'tiff' : undefined);
  const details = format ? (DETAILS[format]?.(bytes, page) ?? {}) : {};
  const { scans = 1, streams = STREAMING.has(format), decoderBytes = 0, isRefused = false } = details;
  const size = details.size ?? (format && sizeOf(bytes, format));
  const isBuffered = format !== undefined && !LIBVIPS_FORMATS.has(format);
  const cost = { format, scans, streams, decoderBytes, frames: size?.frames ?? 1, isBuffered, isRefused: false };
  if (isRefused || (size && isTooLarge(size, cost, limits))) return REFUSED;
  // Of a file that says no size, as much as one can cost at most.
  const pixels = size ? size.width * size.height : Math.min(limits.pixels, bytes.length * PIXELS_PER_BYTE);
  return { ...cost, pixels };
}

/** Whether any operation refuses it. */
function isTooLarge(
  { width, height }: Size,
  { streams, scans, decoderBytes }: Pick<HeaderCost, 'streams' | 'scans' | 'decoderBytes'>,
  limits: EngineLimits,
): boolean {
  return (
    Math.max(width, height) > limits.side ||
    width * height > (streams ? limits.pixels : limits.decodedPixels) ||
    scans > limits.jpegScans ||
    decoderBytes > limits.decodedBytes
  );
}

const DETAILS: Partial<Record<InputFormat, (bytes: Uint8Array, page: number) => Details>> = {
  jpeg(bytes) {
    const { scans, holdsCoefficients } = estimateJpegScans(bytes);
    const frame = attempt(() => readJpegFrame(bytes));
    if (!frame) return { scans, isRefused: scans === 0 };
    const { width, height, components } = frame;
    return {
      scans,
      isRefused: scans === 0,
      // Those of more bits are decoded as a whole, and not by libvips.
      streams: !isDeep(frame),
      decoderBytes: holdsCoefficients ? coefficientBytes(width * height, components) : 0,
    };
  },
  png: (bytes) => ({ streams: bytes[PNG_INTERLACE_OFFSET] !== 1, isRefused: !hasPngData(bytes) }),
  webp(bytes) {
    const size = sizeOf(bytes, 'webp');
    if (!size) return {};
    return { size, decoderBytes: webpCanvasBytes(size), isRefused: (size.frames ?? 1) > MAX_WEBP_FRAMES };
  },
  gif: (bytes) => ({ isRefused: sizeOf(bytes, 'gif')?.frames === 0 }),
  pdf: () => ({ decoderBytes: PDFIUM_BYTES }),
  tiff(bytes, page) {
    const layout = attempt(() => readTiffLayout(bytes, page));
    return layout ? { size: layout, decoderBytes: layout.heldPixels * layout.bytesPerPixel } : {};
  },
};
