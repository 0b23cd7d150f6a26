/** A stream that is being sent, and that can be let go of. */
export interface Upload {
  stream: ReadableStream<Uint8Array>;
  /** Ends the source, and with it the file or connection that it comes from. */
  release(reason: unknown): void;
}

/** Of its own accord fetch lets go of nothing: Node reads a source that nobody wants any more to its end. */
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
    // It fails where the source itself has failed.
    reader.cancel(reason).catch(() => {});
  };
  return { stream, release };
}
