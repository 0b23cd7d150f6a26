/** Valid kinds of TIFF that libvips refuses. */
import { Failure } from '../../../base/failure.ts';
import { readTiffTags, type TiffTags } from './tags.ts';

const BITS_PER_SAMPLE = 258;
const COMPRESSION = 259;
const PHOTOMETRIC = 262;
const PLANAR_CONFIGURATION = 284;
const TILE_WIDTH = 322;
const TAGS = [BITS_PER_SAMPLE, COMPRESSION, PHOTOMETRIC, PLANAR_CONFIGURATION, TILE_WIDTH];

const OLD_JPEG = 6;
const CIELAB = 8;
const SEPARATE_PLANES = 2;
const USUAL_DEPTHS = [1, 2, 4, 8, 16, 32, 64];

/** Whether libvips would refuse a page. Never throws. */
export function isUnusualTiff(bytes: Uint8Array, page: number): boolean {
  try {
    const tags = readTiffTags(bytes, TAGS, page)[page - 1];
    return tags !== undefined && isUnusual(tags);
  } catch (error) {
    // The directory is damaged; libvips reports it.
    if (error instanceof Failure) return false;
    throw error;
  }
}

function isUnusual(tags: TiffTags): boolean {
  return (
    tags.get(COMPRESSION) === OLD_JPEG ||
    // libvips reads Lab only with 8 bits and a fourth sample, or with 16 bits.
    (tags.get(PHOTOMETRIC) === CIELAB && tags.get(BITS_PER_SAMPLE) === 8) ||
    (tags.has(TILE_WIDTH) && tags.get(PLANAR_CONFIGURATION) === SEPARATE_PLANES) ||
    !USUAL_DEPTHS.includes(tags.get(BITS_PER_SAMPLE) ?? 1)
  );
}
