/** Converts images from callers to request bodies. In Node, streams are sent as they come and never collected. */

/** An image that the service fetches itself. */
export interface ImageAddress {
  url: string;
}

/** A Node stream is an AsyncIterable. The name of a `File` is sent too. */
export type ImageBytes = Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export type ImageInput = ImageBytes | ImageAddress;

/** A body for fetch, with the name of the file. */
export interface Source {
  content: Blob | ReadableStream<Uint8Array>;
  name: string | undefined;
}

/**
 * Checks an image from a caller without types.
 * @param place where it was given, such as `image` or `images[1]`
 * @throws TypeError for anything that is neither an address nor bytes, and for 0 bytes
 */
export function checkImage(input: unknown, place: string): void {
  if (isAddress(input)) return;
  if (!isBytes(input)) throw wrongImage(place, describe(input));
  if (sizeOf(input) === 0) throw wrongImage(place, '0 bytes');
}

const isObject = (input: unknown): input is object => typeof input === 'object' && input !== null;

const isBytes = (input: unknown): input is ImageBytes =>
  input instanceof Blob ||
  input instanceof ArrayBuffer ||
  ArrayBuffer.isView(input) ||
  input instanceof ReadableStream ||
  (isObject(input) && Symbol.asyncIterator in input);

/** In bytes; undefined for a stream. */
function sizeOf(input: ImageBytes): number | undefined {
  if (input instanceof Blob) return input.size;
  return input instanceof ArrayBuffer || ArrayBuffer.isView(input) ? input.byteLength : undefined;
}

function describe(input: unknown): string {
  if (input === undefined || input === null) return String(input);
  if (typeof input === 'string') return 'a string: pass an address as { url }, and a file as its bytes';
  return Array.isArray(input) ? 'an array' : `another ${typeof input}`;
}

const wrongImage = (place: string, received: string): TypeError =>
  new TypeError(`Expected bytes, a stream or an object with url for ${place} but received ${received}.`);

export function isAddress(input: unknown): input is ImageAddress {
  // An incoming request of a Node server is a stream that has a `url` too: the URL of the request.
  return isObject(input) && 'url' in input && typeof input.url === 'string' && !(Symbol.asyncIterator in input);
}

/** @throws TypeError as {@link checkImage} */
export async function sourceOf(input: ImageBytes, place = 'image'): Promise<Source> {
  checkImage(input, place);
  const name = input instanceof Blob && 'name' in input && typeof input.name === 'string' ? input.name : undefined;
  return { content: await contentOf(input), name };
}

async function contentOf(input: ImageBytes): Promise<Source['content']> {
  if (input instanceof Blob) return input;
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) return new Blob([input as BlobPart]);
  const stream = input instanceof ReadableStream ? input : streamOf(input);
  return sendsStreams() ? stream : await new Response(stream).blob();
}

/** Browsers send streams only over HTTP/2, or not at all. They may keep collected data on the disk. */
const sendsStreams = (): boolean =>
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;

/**
 * Creates a stream. Not `ReadableStream.from`, which not every browser has.
 * @param release frees the source of the chunks; an iterator that has not started cannot do this itself
 */
export function streamOf(
  chunks: AsyncIterable<Uint8Array>,
  release: () => void = () => destroyed(chunks),
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
        release();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Destroys a Node stream, whose file is already open before anything is read. */
function destroyed(chunks: AsyncIterable<Uint8Array> & { destroy?: unknown }): void {
  if (typeof chunks.destroy === 'function') chunks.destroy();
}
