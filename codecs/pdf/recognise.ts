/** Recognises PDF. Main-thread safe: bounded work, never throws. */
import { bufferOf } from '../metadata/bytes.ts';

const SIGNATURE = '%PDF-';
/** "Acrobat viewers require only that the header appear somewhere within the first 1024 bytes" (PDF Reference 1.7, appendix H.3, note 13). */
const HEADER_WITHIN = 1024;

/** Other formats may hold a PDF in their first bytes too: ask for their signatures first. */
export function isPdf(bytes: Uint8Array): boolean {
  return bufferOf(bytes.subarray(0, HEADER_WITHIN)).includes(SIGNATURE, 0, 'latin1');
}
