/**
 * Reads the directory of Windows icons and cursors and the headers of their images (Microsoft, "Icons", and Raymond
 * Chen, "The evolution of the ICO file format"). Loads no WebAssembly.
 */
import type { Size } from '../../../base/geometry.ts';
import { type DibHeader, readDibHeader } from '../../dib.ts';

const TYPE_ICON = 1;
const TYPE_CURSOR = 2;
const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;
/** More than any real icon has. A hostile directory could list the same image 65,535 times. */
const MAX_IMAGES = 256;

export interface IconEntry {
  at: number;
  bytes: number;
}

/**
 * Reads the directory and checks its entries, because the signature alone is too short and too common to identify an
 * icon.
 * @returns undefined when this is no icon
 */
export function readIconDirectory(file: Uint8Array): IconEntry[] | undefined {
  if (file.length < HEADER_BYTES + ENTRY_BYTES) return undefined;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const type = view.getUint16(2, true);
  const count = view.getUint16(4, true);
  const imagesAt = HEADER_BYTES + count * ENTRY_BYTES;
  const entriesEnd = HEADER_BYTES + Math.min(count, MAX_IMAGES) * ENTRY_BYTES;
  if (view.getUint16(0, true) !== 0 || (type !== TYPE_ICON && type !== TYPE_CURSOR)) return undefined;
  if (count === 0 || imagesAt > file.length) return undefined;

  const entries: IconEntry[] = [];
  for (let entryAt = HEADER_BYTES; entryAt < entriesEnd; entryAt += ENTRY_BYTES) {
    const at = view.getUint32(entryAt + 12, true);
    if (at >= imagesAt && at < file.length) entries.push({ at, bytes: view.getUint32(entryAt + 8, true) });
    else if (entries.length === 0) return undefined;
  }
  return entries;
}

export interface IconImage extends Size {
  bitsPerPixel: number;
  bytes: Uint8Array;
  /** Undefined for an image stored as PNG. */
  dib: DibHeader | undefined;
}

/** Returns the images with a readable header, best first: the largest, then the deepest, then in file order. */
export const readIconImages = (file: Uint8Array): IconImage[] =>
  (readIconDirectory(file) ?? [])
    .flatMap(({ at, bytes }) => readImage(file.subarray(at, at + bytes)) ?? [])
    .sort((a, b) => b.width * b.height - a.width * a.height || b.bitsPerPixel - a.bitsPerPixel);

/**
 * Reads the size and depth from the image, not from the directory. Directory sizes end at 256, and their depths are
 * often wrong.
 */
const readImage = (bytes: Uint8Array): IconImage | undefined => (isPng(bytes) ? readPng(bytes) : readBitmap(bytes));

/** Reads a bitmap. Its height includes the mask. */
function readBitmap(bytes: Uint8Array): IconImage | undefined {
  const header = readDibHeader(bytes);
  const height = Math.floor((header?.height ?? 0) / 2);
  if (header?.coding !== 'plain' || height === 0) return undefined;
  const { width, bitsPerPixel } = header;
  return { width, height, bitsPerPixel, bytes, dib: { ...header, height } };
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const PNG_HEADER_BYTES = 33;
/** Samples per pixel by colour type (PNG specification, 11.2.1). */
const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

const isPng = (bytes: Uint8Array): boolean => PNG_SIGNATURE.every((byte, at) => bytes[at] === byte);

function readPng(bytes: Uint8Array): IconImage | undefined {
  if (bytes.length < PNG_HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const bitsPerPixel = view.getUint8(24) * (PNG_CHANNELS[view.getUint8(25)] ?? 0);
  return { width: view.getUint32(16), height: view.getUint32(20), bitsPerPixel, bytes, dib: undefined };
}
