/** Memory of a buffer that nobody needs any more, without waiting for a garbage collection: what V8 counts of it would ask for one. */
import { MessageChannel } from 'node:worker_threads';

/** What is sent here arrives nowhere: a buffer that is transferred is freed. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** @param buffer becomes empty, and all views of it; no memory of WebAssembly. One that is empty already stays so */
export function freeBuffer(buffer: ArrayBuffer): void {
  if (buffer.byteLength > 0) nowhere.postMessage(null, [buffer]);
}

/** Below it a collection is as quick. */
const MIN_CHUNK_BYTES = 16 * 1024;

/** The same for a chunk of a stream, unless others have parts of its buffer. */
export function freeChunk({ buffer, length }: Uint8Array): void {
  if (length >= MIN_CHUNK_BYTES && length === buffer.byteLength && buffer instanceof ArrayBuffer) freeBuffer(buffer);
}
