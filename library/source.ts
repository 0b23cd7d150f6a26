/** Reads the images that callers give to the library. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { arrayBuffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from '../engine/source-file.ts';
import type { ImageSource } from './types.ts';

/**
 * Returns the bytes in a buffer of their own, which a worker may take, and the name of the file if it has one.
 * @param place where the image was given, such as `image` or `watermarkImage`
 * @throws TypeError for anything else; the error of Node for a file that cannot be read
 */
export async function readSource(source: ImageSource, place: string): Promise<SourceFile> {
  if (typeof source === 'string' || source instanceof URL) {
    const path = source instanceof URL ? fileURLToPath(source) : source;
    return { data: ownBuffer(await readFile(path)), filename: basename(path) };
  }
  if (source instanceof Blob) {
    const name = 'name' in source && typeof source.name === 'string' ? { filename: source.name } : {};
    return { data: await source.arrayBuffer(), ...name };
  }
  if (source instanceof ArrayBuffer) return { data: source.slice(0) };
  if (ArrayBuffer.isView(source)) return { data: copyOf(source) };
  if (typeof source === 'object' && source !== null && Symbol.asyncIterator in source)
    return { data: await arrayBuffer(source as AsyncIterable<Uint8Array>) };
  throw new TypeError(`Expected a path, bytes or a stream for ${place} but received ${typeName(source)}.`);
}

/** Names the type of a value in messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}

/** Small buffers of Node are parts of a larger one. */
const ownBuffer = (buffer: Buffer): ArrayBuffer =>
  buffer.byteLength === buffer.buffer.byteLength ? (buffer.buffer as ArrayBuffer) : copyOf(buffer);

const copyOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): ArrayBuffer =>
  new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
