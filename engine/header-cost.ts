/**
 * Estimates the decoding cost of a file from its header, before its task is queued. Main-thread safe: bounded
 * work, never throws.
 */
import { MAX_WEBP_FRAMES, type Size, sizeOf, webpCanvasBytes } from '../codecs/dimensions.ts';
import type { InputFormat } from '../codecs/formats.ts';
import { isDeep, readJpegFrame } from '../codecs/jpeg-frame.ts';
import { coefficientBytes, estimateJpegScans } from '../codecs/jpeg-scans.ts';
import { tryParse } from '../codecs/metadata/damage.ts';
import { hasPngData } from '../codecs/png/rows.ts';
import { isTiff, sniff } from '../codecs/sniff.ts';
import { readTiffLayout } from '../codecs/tiff-layout.ts';
import type { EngineLimits } from './settings.ts';

/** Decoding cost of a file, estimated from its header. */
export interface HeaderCost {
  format: InputFormat | undefined;
  /** Of one frame, for an animation. */
  pixels: number;
  /** Number of frames of an animation; otherwise 1. */
  frames: number;
  /** Number of scans of a JPEG; otherwise 1. */
  scans: number;
  /** Whether its rows can be decoded on demand. */
  streams: boolean;
  /** Memory the decoder needs even if rows are decoded in order, in bytes. */
  decoderBytes: number;
  /** Whether the project's own reader decodes it, into JavaScript buffers. */
  isBuffered: boolean;
  /** Whether the worker will refuse it because of its header. */
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

/** A file without a size in its header is charged like a typical photo: ten pixels per byte. */
const PIXELS_PER_BYTE = 10;
/** Formats whose rows libvips decodes on demand, if the file stores them in order. */
const STREAMING: ReadonlySet<InputFormat | undefined> = new Set(['jpeg', 'png', 'tiff', 'pnm', 'hdr']);
/** The formats of codecs/loaders.ts, which the main thread does not load. */
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
 * Memory counted for PDFium, in bytes. The real need of a page, up to 352 MiB (codecs/pdf/pdfium.ts), is not known
 * before it is read. Because it is counted at all, a page waits until workers exhausted by such pages have given their
 * memory back.
 */
const PDFIUM_BYTES = 64 * 2 ** 20;
/** Offset of the interlace method in the header of a PNG (PNG specification, 11.2.2). */
const PNG_INTERLACE_OFFSET = 28;

interface Details {
  size?: Size | undefined;
  scans?: number;
  streams?: boolean;
  decoderBytes?: number;
  /** Whether the file ends before its first pixel, or has more frames than are read. */
  isRefused?: boolean;
}

/** @param page the requested page, from 1 */
export function headerCostOf(data: ArrayBuffer, page: number, limits: EngineLimits): HeaderCost {
  const bytes = new Uint8Array(data);
  const format = sniff(bytes) ?? (isTiff(bytes) ? 'tiff' : undefined);
  const details = format ? (DETAILS[format]?.(bytes, page) ?? {}) : {};
  const { scans = 1, streams = STREAMING.has(format), decoderBytes = 0, isRefused = false } = details;
  const size = details.size ?? (format && sizeOf(bytes, format));
  const isBuffered = format !== undefined && !LIBVIPS_FORMATS.has(format);
  const cost = { format, scans, streams, decoderBytes, frames: size?.frames ?? 1, isBuffered, isRefused: false };
  if (isRefused || (size && isTooLarge(size, cost, limits))) return REFUSED;
  // Without a size, assume the most that a file can cost.
  const pixels = size ? size.width * size.height : Math.min(limits.pixels, bytes.length * PIXELS_PER_BYTE);
  return { ...cost, pixels };
}

/** Whether every operation refuses it. */
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
    const frame = tryParse(() => readJpegFrame(bytes));
    if (!frame) return { scans, isRefused: scans === 0 };
    const { width, height, components } = frame;
    return {
      scans,
      isRefused: scans === 0,
      // JPEGs with more bits per sample are decoded as a whole, and not by libvips.
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
    const layout = tryParse(() => readTiffLayout(bytes, page));
    return layout ? { size: layout, decoderBytes: layout.heldPixels * layout.bytesPerPixel } : {};
  },
};
