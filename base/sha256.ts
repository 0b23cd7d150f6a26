import { createHash } from 'node:crypto';
import { EventLoopShare } from './event-loop-share.ts';

/** Bytes hashed at a time: about a millisecond. */
const HASH_BYTES = 2 ** 20;

/**
 * SHA-256 in hex. Computed in pieces, with other work in between: `subtle.digest` would first copy the whole buffer on
 * the main thread, which takes seconds for a gigabyte.
 */
export async function sha256(data: ArrayBuffer | Uint8Array): Promise<string> {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const hash = createHash('sha256');
  const share = new EventLoopShare();
  for (let start = 0; start < bytes.byteLength; start += HASH_BYTES) {
    if (start > 0) await share.next();
    hash.update(bytes.subarray(start, start + HASH_BYTES));
  }
  return hash.digest('hex');
}
