/** Images as callers have them, made into bodies of requests. Streams are sent as they come, never gathered. */

/** Where the service fetches the image itself. */
export interface ImageAddress {
  url: string;
}

/** A stream of Node is an AsyncIterable. Of a `File` the name is told too. */
export type ImageBytes = Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export type ImageInput = ImageBytes | ImageAddress;

/** What a body of fetch can be, with the name that it came with. */
export interface Source {
  content: Blob | ReadableStream<Uint8Array>;
  name: string | undefined;
}

export function isAddress(input: ImageInput): input is ImageAddress {
  // Of Node's streams a request that a server has received has a `url` too: that of the request.
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

/** Browsers send streams only over HTTP/2, or not at all. What they gather they may keep on the disk. */
function sendsStreams(): boolean {
  return (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;
}

/**
 * Not `ReadableStream.from`, which not every browser has.
 * @param release ends what the chunks come from; an iterator that has not begun cannot do so itself
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

/** A stream of Node, whose file is open before anything is read. */
function destroyed(chunks: AsyncIterable<Uint8Array> & { destroy?: unknown }): void {
  if (typeof chunks.destroy === 'function') chunks.destroy();
}
