/** A stream that is being sent and can be released. */
export interface Upload {
  stream: ReadableStream<Uint8Array>;
  /** Cancels the source, and with it the file or connection that it reads. */
  release(reason: unknown): void;
}

/** Wraps a source so that it can be released. fetch does not do so: Node reads an abandoned source to its end. */
export function uploadOf(source: ReadableStream<Uint8Array>): Upload {
  const reader = source.getReader();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      async pull() {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const release = (reason: unknown) => {
    controller.error(reason);
    // Rejects if the source itself has failed.
    reader.cancel(reason).catch(() => {});
  };
  return { stream, release };
}
