/** Adds width and height to `img` elements that have neither. */

import { sizeOf } from '../../codecs/dimensions.ts';
import { FORMATS } from '../../codecs/formats/registry.ts';
import { readExif } from '../../codecs/metadata/exif.ts';
import { readMetadata } from '../../codecs/metadata/index.ts';
import { isSideways, uprightSize } from '../../codecs/orient.ts';
import { sniff } from '../../codecs/sniff.ts';
import { withFile } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import type { ImageElement } from '../readers/image-element.ts';
import type { PixelSize } from '../references/images.ts';
import type { Fix } from './fix.ts';

const SIDES = ['width', 'height'] as const;
const STYLED_SIZE =
  /(?:^|[;\s-])(?:width|height|inline-size|block-size|aspect-ratio|flex|display|content|zoom|all)\s*:/i;
const HEADER_BYTES = 256 * 1024;

/**
 * @param image path of the image that the `img` shows; undefined if it does not exist
 * @param doubt returns the reason if style sheets may conflict with the attributes
 */
export async function fixDimensions(
  root: ProjectRoot,
  element: ImageElement,
  image: string | undefined,
  doubt: () => string | undefined,
): Promise<Fix> {
  const { attributes, hasUnknownAttributes, hasPicture } = element;
  if (SIDES.every((side) => attributes.has(side))) return 'nothing_missing';
  if (hasUnknownAttributes) return { reason: 'unknown_attributes' };
  if (SIDES.some((side) => attributes.has(side))) return { reason: 'size_given' };
  if (hasStyledSize(element)) return { reason: 'styled' };
  if (hasPicture) return { reason: 'in_picture' };
  if (attributes.has('srcset')) return { reason: 'has_srcset' };
  const because = doubt();
  if (because !== undefined) return { reason: 'stylesheet', because };
  const size = image === undefined ? undefined : await displayedSizeOf(root, image);
  if (!size) return { reason: 'size_unknown' };
  return {
    attributes: [
      ['width', `${size.width}`],
      ['height', `${size.height}`],
    ],
  };
}

/** Whether the style attribute affects the size or is an expression. */
export function hasStyledSize({ attributes }: ImageElement): boolean {
  const style = attributes.has('style') ? attributes.get('style') : '';
  return style === undefined || STYLED_SIZE.test(style);
}

/**
 * The size that a browser shows, with EXIF orientation applied. Undefined if the file does not contain it or browsers
 * differ.
 */
export async function displayedSizeOf(root: ProjectRoot, path: string): Promise<PixelSize | undefined> {
  return await withFile(root, path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const format = sniff(bytes);
    const { web, turning } = (format && FORMATS[format]) ?? {};
    // All browsers determine the size of these in the same way.
    const size = web?.kind === 'image' && web.everywhere ? sizeOf(bytes, format!) : undefined;
    if (!size || (turning && 'isTurned' in turning && turning.isTurned(bytes))) return undefined;
    const { exif } = readMetadata(format!, bytes);
    const orientation = exif ? readExif(exif).orientation : 1;
    if (!(turning && 'byExif' in turning) && isSideways(orientation)) return undefined;
    return uprightSize(size, orientation);
  });
}
