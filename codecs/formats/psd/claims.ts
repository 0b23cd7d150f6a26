/**
 * Reads the declared size of a Photoshop document (Adobe Photoshop File Formats Specification), and checks that the
 * file has pixels.
 */
import { corruptImage } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';

export const NAME = 'Photoshop document';

const SECTIONS_AT = 26;
/** Documents of more than 30,000 pixels a side (PSB) have longer length fields. */
const LARGE_VERSION = 2;
const RAW = 0;
const RLE = 1;

/**
 * Returns the pixels of the merged image. ImageMagick allocates and visits all of them even if the file is short.
 * @returns pixels of one channel, without layers
 * @throws Failure `corrupt_image` when the file is too short for one row of the merged image
 */
export function psdDeclaredPixels(bytes: Uint8Array): number {
  // ImageMagick refuses such a header.
  if (bytes.length < SECTIONS_AT) return 0;
  const reader = new Reader(bytes, NAME);
  const [channels, height, width, depth] = [reader.u16(12), reader.u32(14), reader.u32(18), reader.u16(22)];
  const large = reader.u16(4) === LARGE_VERSION;
  let at = SECTIONS_AT;
  // Colours and resources.
  for (let section = 0; section < 2; section++) at += 4 + reader.u32(at);
  // Layers and masks.
  at += large ? 8 + reader.u64(at) : 4 + reader.u32(at);
  const left = bytes.length - at - 2;
  const compression = reader.u16(at);
  const rowBytes = Math.ceil((width * depth) / 8);
  // The lengths of the rows of all channels precede the rows.
  const least = compression === RLE ? height * channels * (large ? 4 : 2) : compression === RAW ? rowBytes : 1;
  if (left < least) throw corruptImage(NAME, `${left} bytes of the merged image`);
  return width * height;
}
