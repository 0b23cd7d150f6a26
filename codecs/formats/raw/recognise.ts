/**
 * Distinguishes camera raws from the TIFF files that many of them also are. Safe on the main thread: bounded work,
 * never throws.
 */
import { latin1, startsWith } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { openTiff } from '../../metadata/directory.ts';
import { holdsSensorData, isReduced, numberIn, RAW_TAG, rawDirectories } from './directories.ts';

/** Unique signatures, by their offsets. */
const SIGNATURES: readonly (readonly [offset: number, signature: string])[] = [
  [0, 'FUJIFILMCCD-RAW'],
  // Panasonic and Leica.
  [0, 'IIU\0'],
  // Olympus.
  [0, 'IIRO'],
  [0, 'IIRS'],
  [0, 'MMOR'],
  // Sigma, Minolta, Canon before TIFF.
  [0, 'FOVb'],
  [0, '\0MRM'],
  [6, 'HEAPCCDR'],
];

/** The signatures of Canon and Phase One behind the eight bytes of a TIFF header. */
const TIFF_SIGNATURES: readonly (readonly [offset: number, signature: string])[] = [
  [8, 'CR\x02\0'],
  [8, 'IIII'],
  [8, 'MMMM'],
];

/** Compressions of sensor data that only cameras use: Kodak's, Nikon's, Sony's, Samsung's, Pentax'. */
const RAW_COMPRESSIONS: ReadonlySet<number> = new Set([262, 32767, 32770, 32772, 34713, 65000, 65535]);

export function isCameraRaw(bytes: Uint8Array): boolean {
  const bears = ([offset, signature]: readonly [number, string]) => startsWith(bytes.subarray(offset), signature);
  if (SIGNATURES.some(bears)) return true;
  if (startsWith(bytes.subarray(4), 'ftypcrx ')) return true;
  const tiff = ['II*\0', 'MM\0*'].includes(latin1(bytes.subarray(0, 4)));
  return tiff && (TIFF_SIGNATURES.some(bears) || (tryParse(() => isRawTiff(bytes)) ?? false));
}

/**
 * Detects raws in TIFF. DNG has a version tag. The others name a camera and contain sensor data. In a truncated file
 * without sensor data, a thumbnail as first image distinguishes a raw from an ordinary TIFF.
 */
function isRawTiff(bytes: Uint8Array): boolean {
  const stream = openTiff(bytes, 'raw');
  const directories = rawDirectories(stream);
  const [first] = directories;
  if (!first) return false;
  const has = (tag: number) => first.fields.some((field) => field.tag === tag);
  if (has(RAW_TAG.dngVersion)) return true;
  if (!has(RAW_TAG.make)) return false;
  if (has(RAW_TAG.leafData) || directories.some((directory) => holdsSensorData(stream, directory))) return true;
  if (!has(RAW_TAG.subDirectories)) return false;
  const compressions = directories.map((directory) => numberIn(stream, directory, RAW_TAG.compression));
  return isReduced(stream, first) || compressions.some((code) => code !== undefined && RAW_COMPRESSIONS.has(code));
}
