/** Converts previews to JPEG files that record their own orientation. */
import { tryParse } from '../../metadata/damage.ts';
import { fieldOf, numbersOf, openTiff, readDirectory } from '../../metadata/directory.ts';
import { createExif } from '../../metadata/exif.ts';
import * as jpeg from '../../metadata/jpeg.ts';
import { TAG } from '../../metadata/tags.ts';
import { uprightSize } from '../../orient.ts';
import type { Preview } from './previews.ts';

export interface UprightJpeg {
  bytes: Uint8Array;
  /** Size of the upright image. */
  width: number;
  height: number;
}

/**
 * Adds the orientation of the raw to a preview that records none.
 * @param orientation orientation of the raw
 */
export function uprightJpeg({ bytes, width, height }: Preview, orientation: number | undefined): UprightJpeg {
  const own = ownOrientation(bytes);
  const turn = own ?? orientation ?? 1;
  const turned = own === undefined && turn > 1 ? tryParse(() => withOrientation(bytes, turn)) : undefined;
  const known = own !== undefined || turned !== undefined;
  return { bytes: turned ?? bytes, ...uprightSize({ width, height }, known ? turn : 1) };
}

function withOrientation(bytes: Uint8Array, orientation: number): Uint8Array {
  const { icc } = jpeg.read(bytes);
  return jpeg.write(bytes, { exif: createExif({ orientation }), ...(icc ? { icc } : {}) });
}

function ownOrientation(bytes: Uint8Array): number | undefined {
  const { exif } = tryParse(() => jpeg.read(bytes)) ?? {};
  if (!exif) return undefined;
  return tryParse(() => {
    const stream = openTiff(exif, 'EXIF');
    const field = fieldOf(readDirectory(stream, stream.first), TAG.orientation);
    return field && numbersOf(stream, field)[0];
  });
}
