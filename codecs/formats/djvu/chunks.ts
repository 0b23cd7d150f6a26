/** Reads the chunks of an EA IFF 85 file (DjVu 3 Specification, 2005, section 8.2.1). */
import { latin1, viewOf } from '../../metadata/bytes.ts';

export interface Chunk {
  /** Four characters. */
  id: string;
  data: Uint8Array;
  /** Offset where the chunk ends, even when the file is shorter. */
  end: number;
  /** The file ends before the chunk does. */
  truncated: boolean;
}

export interface Form {
  /** The second identifier: DJVU, DJVM, DJVI, THUM, PM44, BM44. */
  type: string;
  chunks: Chunk[];
  truncated: boolean;
}

const CHUNK_HEADER = 8;
/** More than a directory can name. Limits files that consist of empty chunks. */
const MAX_CHUNKS = 1 << 17;

/** Reads the chunk at `at`; undefined when there is no complete header. */
export function readChunk(bytes: Uint8Array, at: number): Chunk | undefined {
  const start = at + CHUNK_HEADER;
  if (start > bytes.length) return undefined;
  const length = viewOf(bytes).getUint32(at + 4);
  const data = bytes.subarray(start, start + length);
  return { id: latin1(bytes.subarray(at, at + 4)), data, end: start + length, truncated: data.length < length };
}

/** Reads consecutive chunks from `at` on. They start at even offsets. */
function readChunks(bytes: Uint8Array, at: number): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk = readChunk(bytes, at);
  while (chunk && chunks.length < MAX_CHUNKS) {
    chunks.push(chunk);
    chunk = readChunk(bytes, chunk.end + (chunk.end & 1));
  }
  return chunks;
}

/** Reads the chunks inside a FORM; undefined for any other chunk. */
export function readForm(chunk: Chunk): Form | undefined {
  if (chunk.id !== 'FORM' || chunk.data.length < 4) return undefined;
  return { type: latin1(chunk.data.subarray(0, 4)), chunks: readChunks(chunk.data, 4), truncated: chunk.truncated };
}

/** Returns the first chunk with one of the names. */
export const findChunk = (form: Form, ...ids: readonly string[]): Chunk | undefined =>
  form.chunks.find(({ id }) => ids.includes(id));
