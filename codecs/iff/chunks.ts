/** The containers of the Interchange File Format (J. Morrison, "EA IFF 85", 1985): which pictures a file holds. */
import { latin1, viewOf } from '../metadata/bytes.ts';

const HEADER_BYTES = 8;
const TYPE_BYTES = 4;
/** A hostile file could have one for every eight bytes; the largest picture of Maya has some 25,000 tiles. */
const MOST_CHUNKS = 2 ** 16;

export interface Chunk {
  id: string;
  /** Cut off where the bytes end. */
  data: Uint8Array;
  /** Where the data start in the bytes that are read. */
  at: number;
}

/** The chunks in a stretch of bytes. @param alignment of their starts, 2 or, in the files of Maya, 4 */
export function* readChunks(bytes: Uint8Array, alignment: 2 | 4 = 2): Generator<Chunk> {
  const view = viewOf(bytes);
  for (let at = 0, count = 0; at + HEADER_BYTES <= bytes.length && count < MOST_CHUNKS; count++) {
    const id = latin1(bytes.subarray(at, at + 4));
    const start = at + HEADER_BYTES;
    const size = view.getUint32(at + 4);
    yield { id, data: bytes.subarray(start, start + size), at: start };
    at = start + Math.ceil(size / alignment) * alignment;
  }
}

/** One picture: its type (`ILBM`, ...) and its chunks by name, the first of each. */
export interface IffPicture {
  type: string;
  chunks: ReadonlyMap<string, Chunk>;
}

/** Where a picture lies. */
export interface Place {
  type: string;
  body: Uint8Array;
  /** The properties that it shares with others, nearest first. */
  shared: readonly Uint8Array[];
}

export const PICTURE_TYPES = ['ILBM', 'ACBM', 'PBM ', 'RGB8', 'RGBN', 'DEEP'];
/** Animations: the first picture in them is whole, the others are changes of it. */
export const ANIMATION_TYPES = ['ANIM', 'ANBR'];
const DEEPEST_NESTING = 4;
/** More than any real file has; a hostile one could have a million empty ones. */
const MOST_PICTURES = 10_000;

/** The pictures of a file in its order. */
export function findPictures(bytes: Uint8Array): Place[] {
  const found: Found = { places: [], chunksLeft: MOST_CHUNKS };
  collect(bytes, [], 0, found);
  return found.places;
}

interface Found {
  places: Place[];
  /** Chunks of containers that may still be looked at, in all of them together. */
  chunksLeft: number;
}

export function readPicture({ type, body, shared }: Place): IffPicture {
  const chunks = new Map<string, Chunk>();
  for (const stretch of [body, ...shared]) {
    for (const chunk of readChunks(stretch)) if (!chunks.has(chunk.id)) chunks.set(chunk.id, chunk);
  }
  return { type, chunks };
}

function collect(bytes: Uint8Array, outer: readonly Uint8Array[], depth: number, found: Found): void {
  const { places } = found;
  const shared = [...outer];
  for (const chunk of readChunks(bytes)) {
    if (places.length >= MOST_PICTURES || found.chunksLeft-- <= 0) return;
    const { id } = chunk;
    const data = depth === 0 ? wholeGroup(bytes, chunk) : chunk.data;
    const type = latin1(data.subarray(0, TYPE_BYTES));
    const body = data.subarray(TYPE_BYTES);
    if (id === 'PROP' && PICTURE_TYPES.includes(type)) {
      // Of the properties that pictures share the nearest count; more than a few would be looked through in vain.
      if (shared.length < DEEPEST_NESTING) shared.unshift(body);
    } else if (id === 'FORM' && PICTURE_TYPES.includes(type)) {
      places.push({ type, body, shared });
    } else if (id === 'FORM' && ANIMATION_TYPES.includes(type)) {
      const frame = firstPicture(body, found);
      if (frame) places.push({ ...frame, shared });
    } else if ((id === 'CAT ' || id === 'LIST') && depth < DEEPEST_NESTING) {
      collect(body, shared, depth + 1, found);
    }
  }
}

const GROUPS = ['FORM', 'CAT ', 'LIST'];

/** Writers leave the size of the outermost group wrong: unless another group follows, it ends with the file. */
function wholeGroup(bytes: Uint8Array, { data, at }: Chunk): Uint8Array {
  const next = at + data.length + (data.length & 1);
  return GROUPS.includes(latin1(bytes.subarray(next, next + 4))) ? data : bytes.subarray(at);
}

/** The first frame of an animation, whose sound may come before it. */
function firstPicture(bytes: Uint8Array, found: Found): Pick<Place, 'type' | 'body'> | undefined {
  for (const { id, data } of readChunks(bytes)) {
    if (found.chunksLeft-- <= 0) return undefined;
    const type = latin1(data.subarray(0, TYPE_BYTES));
    if (id === 'FORM' && PICTURE_TYPES.includes(type)) return { type, body: data.subarray(TYPE_BYTES) };
  }
  return undefined;
}
