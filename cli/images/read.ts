/** Reads files for the engine. Each gets its own buffer, because buffers are transferred to workers. */
import { open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { expected, Failure } from '../../base/failure.ts';
import type { Io } from '../io.ts';
import { STDIO, unreadable } from './inputs.ts';

/** Maximum bytes per read call: Node's own limit is a little below 2 GiB. */
const MAX_READ_BYTES = 2 ** 30;

/** @throws Failure `not_found` if the file cannot be read, `missing_image` if it is empty */
export async function readImage(io: Io, file: string, signal: AbortSignal): Promise<ArrayBuffer> {
  if (file !== STDIO) return readImageFile(file);
  return notEmpty(await readStandardInput(io, signal), file);
}

/** Like `readImage`, for a path. */
export const readImageFile = async (path: string): Promise<ArrayBuffer> => notEmpty(await readFile(path), path);

function notEmpty(data: ArrayBuffer, file: string): ArrayBuffer {
  if (data.byteLength === 0) throw new Failure('missing_image', `Expected an image in ${file} but it is empty.`);
  return data;
}

async function readFile(path: string): Promise<ArrayBuffer> {
  try {
    const file = await open(path);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) throw new Failure('not_found', expected('a file', 'the input', path));
      const data = new ArrayBuffer(facts.size);
      let read = 0;
      while (read < data.byteLength) {
        const length = Math.min(data.byteLength - read, MAX_READ_BYTES);
        const { bytesRead } = await file.read(new Uint8Array(data), read, length, read);
        // The file was truncated while it was read.
        if (bytesRead === 0) return data.slice(0, read);
        read += bytesRead;
      }
      return data;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('not_found', unreadable('a file', path, error as NodeJS.ErrnoException), { cause: error });
  }
}

async function readStandardInput({ input }: Io, signal: AbortSignal): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  if (input) for await (const chunk of addAbortSignal(signal, input)) chunks.push(chunk as Uint8Array);
  const data = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    data.set(chunk, at);
    at += chunk.byteLength;
  }
  return data.buffer;
}
