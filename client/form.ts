/** Multipart bodies: multipart/form-data (RFC 7578), streamed if a part is a stream. */
import { type Source, streamOf } from './image-input.ts';

export type Part = readonly [name: string, value: Source | string];

export interface Form {
  body: FormData | ReadableStream<Uint8Array>;
  headers: Readonly<Record<string, string>>;
}

export function formOf(parts: readonly Part[]): Form {
  const isStreamed = parts.some(([, value]) => typeof value !== 'string' && value.content instanceof ReadableStream);
  if (!isStreamed) return { body: formData(parts), headers: {} };
  const boundary = `imagecrew-${randomHex()}`;
  return {
    body: streamOf(chunksOf(parts, boundary), () => release(parts)),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  };
}

function formData(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value.content as Blob, value.name ?? name);
  return form;
}

async function* chunksOf(parts: readonly Part[], boundary: string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  try {
    for (const [name, value] of parts) {
      const start = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
      if (typeof value === 'string') {
        yield encoder.encode(`${start}\r\n\r\n${value}\r\n`);
        continue;
      }
      const file = `; filename="${escaped(value.name ?? name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
      yield encoder.encode(start + file);
      yield* chunksOfStream(value.content instanceof Blob ? value.content.stream() : value.content);
      yield encoder.encode('\r\n');
    }
    yield encoder.encode(`--${boundary}--\r\n`);
  } finally {
    release(parts);
  }
}

/** Cancels the streams that have not been read, if the body is abandoned before its end. */
function release(parts: readonly Part[]): void {
  for (const [, value] of parts)
    if (typeof value !== 'string' && value.content instanceof ReadableStream && !value.content.locked)
      // Rejects if the stream itself has failed.
      value.content.cancel().catch(() => {});
}

/** Uses a reader, because not every browser can iterate over a stream. */
async function* chunksOfStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    // At the end of the stream this has no effect.
    await reader.cancel();
  }
}

/** Escapes a name as browsers do (HTML standard, "multipart/form-data encoding algorithm"). */
const escaped = (name: string): string => name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');

/** Not `randomUUID`, which is missing on pages without https. */
export const randomHex = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
