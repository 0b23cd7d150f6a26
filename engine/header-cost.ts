/**
 * Estimates the decoding cost of a file from its header, before its task is queued. Main-thread safe: bounded
 * work, never throws.
 */
import type { Size } from '../base/geometry.ts';
import { sizeOf } from '../codecs/dimensions.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat } from '../codecs/formats/registry.ts';
import { hasSignature, sniff } from '../codecs/sniff.ts';
import type { EngineLimits } from './settings.ts';

/** Decoding cost of a file, estimated from its header. */
export interface HeaderCost {
  format: InputFormat | undefined;
  /** Of one frame, for an animation. */
  pixels: number;
  /** Number of frames of an animation; otherwise 1. */
  frames: number;
  /** Number of pages of a document, where they are counted; otherwise 1. */
  pages: number;
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
  pages: 1,
  scans: 1,
  streams: true,
  decoderBytes: 0,
  isBuffered: false,
  isRefused: true,
};

/** A file without a size in its header is charged like a typical photo: ten pixels per byte. */
const PIXELS_PER_BYTE = 10;
/** Formats that `sniff` does not know. */
const COSTED_FORMATS = INPUT_FORMATS.filter(
  (id) => FORMATS[id].estimateCost && FORMATS[id].signature?.rank !== 'common',
);

/** @param page the requested page, from 1 */
export function headerCostOf(data: ArrayBuffer, page: number, limits: EngineLimits): HeaderCost {
  const bytes = new Uint8Array(data);
  const format = sniff(bytes) ?? COSTED_FORMATS.find((id) => hasSignature(bytes, id));
  const declared = format && FORMATS[format];
  const details = declared?.estimateCost?.(bytes, page) ?? {};
  const { scans = 1, streams = declared?.streams ?? false, decoderBytes = 0, isRefused = false } = details;
  const size = details.size ?? (format && sizeOf(bytes, format));
  const isBuffered = declared !== undefined && !declared.loader;
  const { frames = 1, pages = 1 } = size ?? {};
  const cost = { format, scans, streams, decoderBytes, frames, pages, isBuffered, isRefused: false };
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
