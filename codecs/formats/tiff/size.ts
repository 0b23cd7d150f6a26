import { largest, type Size } from '../../size.ts';
import { readTiffTags } from './tags.ts';

const IMAGE_WIDTH = 256;
const IMAGE_LENGTH = 257;

/** Reads the size of the largest page, because the requested page is not known here. */
export function readSize(bytes: Uint8Array): Size | undefined {
  const pages = readTiffTags(bytes, [IMAGE_WIDTH, IMAGE_LENGTH]);
  return largest(pages.map((tags) => ({ width: tags.get(IMAGE_WIDTH) ?? 0, height: tags.get(IMAGE_LENGTH) ?? 0 })));
}
