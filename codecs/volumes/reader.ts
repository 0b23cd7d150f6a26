/** Reads planes of a volume as images, independent of the header format. */
import { type Bitmap, checkPixels } from '../bitmap.ts';
import { corruptImage, imageTooLarge, pageOutOfRange } from '../errors.ts';
import type { FormatReader } from '../format-reader.ts';
import { isPacked, unpack, unpackHeader } from './unpack.ts';
import { isColour, planeBytes, VOXEL_BYTES, type Volume } from './volume.ts';
import { readNumbers, robustRange, toColour, toGrey } from './voxels.ts';

/**
 * A compressed volume is decompressed completely to find its range, which is up to 1,000 times the work that its size
 * suggests.
 */
const MAX_UNPACKED_BYTES = 2 ** 30;
/**
 * Enough to estimate a range of 99.8% well. A prime step through a larger volume reaches all of its rows and planes.
 */
const MAX_SAMPLES = 2 ** 18;

/**
 * Creates a reader whose pages are the planes of the first volume, in storage order. Columns are kept as stored; rows
 * are flipped if needed so that anterior or superior is up. Grey is windowed by the range that the file declares, else
 * by {@link robustRange} of the whole volume, so that the brightness of pages can be compared.
 * @param parse reads up to 540 bytes of header and throws `corrupt_image` and `unsupported_format`
 */
export function volumeReader(name: string, parse: (header: Uint8Array) => Volume): FormatReader {
  const open = (bytes: Uint8Array, page: number): Volume => {
    const volume = parse(unpackHeader(bytes));
    if (!Number.isSafeInteger(volume.planes * planeBytes(volume))) throw corruptImage(name, 'dimensions');
    if (page > volume.planes) throw pageOutOfRange(page, volume.planes);
    return volume;
  };
  return {
    probe(bytes, { page }) {
      const volume = open(bytes, page);
      const { width, height, planes, type } = volume;
      const storedDepth = isColour(volume) ? 8 : 8 * VOXEL_BYTES[type];
      return { width, height, pages: planes, depth: 8, storedDepth, hasAlpha: type === 'rgba32' };
    },
    async decode(bytes, { page, maxPixels }) {
      const volume = open(bytes, page);
      checkPixels(volume, maxPixels);
      return { bitmap: await decodePlane(name, bytes, volume, page) };
    },
  };
}

async function decodePlane(name: string, bytes: Uint8Array, volume: Volume, page: number): Promise<Bitmap> {
  const { width, height, planes } = volume;
  const size = planeBytes(volume);
  const at = volume.voxelsAt + (page - 1) * size;
  const needsRange = !isColour(volume) && !volume.window;
  const end = needsRange ? volume.voxelsAt + planes * size : at + size;
  if (isPacked(bytes) && end > MAX_UNPACKED_BYTES) {
    throw imageTooLarge(`${MAX_UNPACKED_BYTES} unpacked bytes`, `${end} bytes`);
  }

  const plane = new RangeCollector(at, size);
  const samples = needsRange ? new VoxelSampler(volume) : undefined;
  await unpack(bytes, end, (piece, pieceAt) => {
    plane.take(piece, pieceAt);
    samples?.take(piece, pieceAt);
  });
  const present = Math.floor(plane.length / VOXEL_BYTES[volume.type]);
  if (present === 0) throw corruptImage(name, 'the plane is missing');

  const window = volume.window ?? samples?.range();
  const data = window
    ? toGrey(plane.bytes, present, volume, window)
    : toColour(plane.bytes.subarray(0, plane.length), present, volume);
  const channels = window ? 1 : volume.type === 'rgba32' ? 4 : 3;
  if (volume.bottomUp) flipRows(data, width * channels);
  return { data, width, height, channels, truncated: present < width * height };
}

/** Collects one range of the file from chunks that arrive in order. */
class RangeCollector {
  bytes: Uint8Array = new Uint8Array();
  /** Number of bytes that are present. */
  length = 0;
  readonly #at: number;
  readonly #size: number;

  constructor(at: number, size: number) {
    this.#at = at;
    this.#size = size;
  }

  take(piece: Uint8Array, pieceAt: number): void {
    const part = piece.subarray(Math.max(0, this.#at - pieceAt), Math.max(0, this.#at + this.#size - pieceAt));
    if (part.length === 0) return;
    if (part.length === this.#size) {
      this.bytes = part;
    } else {
      if (this.bytes.length === 0) this.bytes = new Uint8Array(this.#size);
      this.bytes.set(part, this.length);
    }
    this.length += part.length;
  }
}

/** Collects voxels at even steps through the whole volume from chunks that arrive in order. */
class VoxelSampler {
  readonly #volume: Volume;
  readonly #voxelBytes: number;
  readonly #step: number;
  readonly #count: number;
  readonly #bytes: Uint8Array;
  /** Number of bytes that are present. */
  #length = 0;

  constructor(volume: Volume) {
    const voxels = volume.width * volume.height * volume.planes;
    const step = voxels <= MAX_SAMPLES ? 1 : primeFrom(Math.ceil(voxels / MAX_SAMPLES));
    this.#volume = volume;
    this.#voxelBytes = VOXEL_BYTES[volume.type];
    this.#step = step * this.#voxelBytes;
    this.#count = Math.ceil(voxels / step);
    this.#bytes = new Uint8Array(this.#count * this.#voxelBytes);
  }

  take(piece: Uint8Array, pieceAt: number): void {
    const pieceEnd = pieceAt + piece.length;
    while (this.#length < this.#bytes.length) {
      const within = this.#length % this.#voxelBytes;
      const from = this.#volume.voxelsAt + ((this.#length - within) / this.#voxelBytes) * this.#step + within;
      if (from >= pieceEnd) return;
      const bytes = Math.min(this.#voxelBytes - within, pieceEnd - from);
      for (let i = 0; i < bytes; i++) this.#bytes[this.#length++] = piece[from - pieceAt + i]!;
    }
  }

  range(): { low: number; high: number } {
    const count = Math.floor(this.#length / this.#voxelBytes);
    const values = new Float64Array(count);
    readNumbers(this.#bytes, count, this.#volume, values);
    const { slope, intercept } = this.#volume;
    for (let i = 0; i < count; i++) values[i] = values[i]! * slope + intercept;
    return robustRange(values);
  }
}

function primeFrom(start: number): number {
  let candidate = start;
  while (!isPrime(candidate)) candidate++;
  return candidate;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return number > 1;
}

function flipRows(data: Uint8Array, rowBytes: number): void {
  const row = new Uint8Array(rowBytes);
  for (let top = 0, bottom = data.length - rowBytes; top < bottom; top += rowBytes, bottom -= rowBytes) {
    row.set(data.subarray(top, top + rowBytes));
    data.copyWithin(top, bottom, bottom + rowBytes);
    data.set(row, bottom);
  }
}
