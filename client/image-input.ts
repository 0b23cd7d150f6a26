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

export function isAddress(input: ImageInput): input is ImageAddress {
  // An incoming request of a Node server is a stream that has a `url` too: the URL of the request.
  return 'url' in input && typeof input.url === 'string' && !(Symbol.asyncIterator in input);
}

export async function sourceOf(input: ImageBytes): Promise<Source> {
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
