/** Facts common to the files of the ISO base media family. */
import { bufferOf, type Reader } from '../metadata/bytes.ts';
import type { Box } from '../metadata/isobmff.ts';

/** Identifier of the box that holds the C2PA manifest store (C2PA 2.1, A.5). */
const CONTENT_CREDENTIALS = 'd8fec3d61b0e483c92975828877ec481';
const UUID_BYTES = 16;
/** Bytes to search for the store's name in a JUMBF description. Files such as JPEG XL may hold JUMBF boxes directly. */
const DESCRIPTION_BYTES = 64;

/** Whether one of the top-level boxes of the file holds content credentials. */
export function hasContentCredentials(reader: Reader, boxes: readonly Box[]): boolean {
  return boxes.some(({ type, contentStart, end }) => {
    const start = bufferOf(reader.bytes.subarray(contentStart, Math.min(end, contentStart + DESCRIPTION_BYTES)));
    if (type === 'uuid') return start.toString('hex', 0, UUID_BYTES) === CONTENT_CREDENTIALS;
    return type === 'jumb' && start.includes('c2pa', 0, 'latin1');
  });
}
