/** What files of the ISO base media family have in common. */
import { bufferOf, type Reader } from '../metadata/bytes.ts';
import type { Box } from '../metadata/isobmff.ts';

/** C2PA 2.1, A.5: the identifier of the box that holds the manifest store. */
const CONTENT_CREDENTIALS = 'd8fec3d61b0e483c92975828877ec481';
const UUID_BYTES = 16;
/** In files that may hold JUMBF boxes as they are, as JPEG XL does: the name of the store is in its description. */
const DESCRIPTION_BYTES = 64;

/** Whether one of the boxes at the top of the file holds content credentials. */
export function hasContentCredentials(reader: Reader, boxes: readonly Box[]): boolean {
  return boxes.some(({ type, contentStart, end }) => {
    const start = bufferOf(reader.bytes.subarray(contentStart, Math.min(end, contentStart + DESCRIPTION_BYTES)));
    if (type === 'uuid') return start.toString('hex', 0, UUID_BYTES) === CONTENT_CREDENTIALS;
    return type === 'jumb' && start.includes('c2pa', 0, 'latin1');
  });
}
