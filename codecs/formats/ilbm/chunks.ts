/**
 * Reads the containers of the Interchange File Format (J. Morrison, "EA IFF 85", 1985) and finds the images in a file.
 */
import { latin1, viewOf } from '../../metadata/bytes.ts';

const HEADER_BYTES = 8;
const TYPE_BYTES = 4;
/**
 * Maximum number of chunks. A hostile file could have one for every eight bytes; the largest image of Maya has some
 * 25,000 tiles.
 */
const MAX_CHUNKS = 2 ** 16;

export interface Chunk {
  id: string;
  /** Truncated where the bytes end. */
  data: Uint8Array;
  /** Offset of the data in the bytes that are read. */
  at: number;
}

/** Yields the chunks in a range of bytes. @param alignment of their starts, 2 or, in Maya's files, 4 */
export function* readChunks(bytes: Uint8Array, alignment: 2 | 4 = 2): Generator<Chunk> {
  const view = viewOf(bytes);
  for (let at = 0, count = 0; at + HEADER_BYTES <= bytes.length && count < MAX_CHUNKS; count++) {
    const id = latin1(bytes.subarray(at, at + 4));
    const start = at + HEADER_BYTES;
    const size = view.getUint32(at + 4);
    yield { id, data: bytes.subarray(start, start + size), at: start };
    at = start + Math.ceil(size / alignment) * alignment;
  }
}

/** One image: its type (`ILBM`, ...) and the first chunk of each name. */
export interface IffImage {
  type: string;
  chunks: ReadonlyMap<string, Chunk>;
}

/** The position of an image in the file. */
export interface ImageLocation {
  type: string;
  body: Uint8Array;
  /** The properties that it shares with other images, nearest first. */
  shared: readonly Uint8Array[];
}

export const IMAGE_TYPES = ['ILBM', 'ACBM', 'PBM ', 'RGB8', 'RGBN', 'DEEP'];
/** Animations: the first image is complete, the others are changes to it. */
export const ANIMATION_TYPES = ['ANIM', 'ANBR'];
const MAX_NESTING = 4;
/** More than any real file has; a hostile one could have a million empty images. */
const MAX_IMAGES = 10_000;

/** Finds the images of a file, in file order. */
export function findImages(bytes: Uint8Array): ImageLocation[] {
  const found: Found = { places: [], chunksLeft: MAX_CHUNKS };
  collect(bytes, [], 0, found);
  return found.places;
}

interface Found {
  places: ImageLocation[];
  /** How many more chunks of containers may be read, in all of them together. */
  chunksLeft: number;
}

export function readImage({ type, body, shared }: ImageLocation): IffImage {
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
    if (places.length >= MAX_IMAGES || found.chunksLeft-- <= 0) return;
    const { id } = chunk;
    const data = depth === 0 ? wholeGroup(bytes, chunk) : chunk.data;
    const type = latin1(data.subarray(0, TYPE_BYTES));
    const body = data.subarray(TYPE_BYTES);
    if (id === 'PROP' && IMAGE_TYPES.includes(type)) {
      // The nearest shared properties take precedence, so distant ones are ignored.
      if (shared.length < MAX_NESTING) shared.unshift(body);
    } else if (id === 'FORM' && IMAGE_TYPES.includes(type)) {
      places.push({ type, body, shared });
    } else if (id === 'FORM' && ANIMATION_TYPES.includes(type)) {
      const frame = firstImage(body, found);
      if (frame) places.push({ ...frame, shared });
    } else if ((id === 'CAT ' || id === 'LIST') && depth < MAX_NESTING) {
      collect(body, shared, depth + 1, found);
    }
  }
}

const GROUPS = ['FORM', 'CAT ', 'LIST'];

/**
 * Returns the data of the outermost group. Its stored size is often wrong, so it ends with the file unless another
 * group follows.
 */
function wholeGroup(bytes: Uint8Array, { data, at }: Chunk): Uint8Array {
  const next = at + data.length + (data.length & 1);
  return GROUPS.includes(latin1(bytes.subarray(next, next + 4))) ? data : bytes.subarray(at);
}

/** Returns the first frame of an animation; its sound may come first. */
function firstImage(bytes: Uint8Array, found: Found): Pick<ImageLocation, 'type' | 'body'> | undefined {
  for (const { id, data } of readChunks(bytes)) {
    if (found.chunksLeft-- <= 0) return undefined;
    const type = latin1(data.subarray(0, TYPE_BYTES));
    if (id === 'FORM' && IMAGE_TYPES.includes(type)) return { type, body: data.subarray(TYPE_BYTES) };
  }
  return undefined;
}
