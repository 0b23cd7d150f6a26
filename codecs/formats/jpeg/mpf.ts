/**
 * Finds the images of a multi-picture JPEG: stereo pairs, panoramas, bursts. Gain maps and previews in the same
 * directory are not counted as images.
 */
import { startsWith } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { standardsOf } from '../../metadata/jpeg-gain-map.ts';
import { readImageDirectory } from '../../metadata/multi-picture.ts';

/** Returns the JPEG files inside a JPEG file, starting with the file itself. Never throws. */
export function imagesOf(bytes: Uint8Array): [Uint8Array, ...Uint8Array[]] {
  // If the directory is damaged there is at least one image, and its decoder reports its damage.
  const images = tryParse(() => readImageDirectory(bytes))?.images ?? [];
  const files = images.filter(({ isPreview }) => !isPreview).map(({ start, end }) => bytes.subarray(start, end));
  return [bytes, ...files.filter((file) => startsWith(file, '\xff\xd8\xff') && standardsOf(file).length === 0)];
}
