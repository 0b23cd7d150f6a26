/**
 * Reads an image's size from the header of its file, for the check before a task is queued. Main-thread safe: no
 * WebAssembly, bounded work, never throws. The limits proper are checked against the size that the decoder reads.
 */
import { FORMATS, type InputFormat } from './formats/registry.ts';
import { type FileSize, trySize } from './size.ts';

/**
 * Reads the size of an image.
 * @returns undefined when the header does not contain it or cannot be read
 */
export const sizeOf = (bytes: Uint8Array, format: InputFormat): FileSize | undefined =>
  trySize(() => FORMATS[format].readSize?.(bytes));
