/**
 * Frees the memory of unused buffers at once. V8 counts that memory and would otherwise start a garbage collection for
 * it.
 */
import { MessageChannel } from 'node:worker_threads';

/** The receiving port is closed: a buffer transferred here is freed. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees a buffer. Does nothing if it is already empty.
 * @param buffer is detached, with all its views; must not be WebAssembly memory
 */
export function freeBuffer(buffer: ArrayBuffer): void {
  if (buffer.byteLength > 0) nowhere.postMessage(null, [buffer]);
}

/** Below this size a garbage collection is as quick. */
const MIN_CHUNK_BYTES = 16 * 1024;

/** Frees a chunk of a stream, unless the chunk is only a part of its buffer. */
export function freeChunk({ buffer, length }: Uint8Array): void {
  if (length >= MIN_CHUNK_BYTES && length === buffer.byteLength && buffer instanceof ArrayBuffer) freeBuffer(buffer);
}
