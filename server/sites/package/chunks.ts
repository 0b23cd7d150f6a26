/** Encodes text that is written into a file. */

/** Larger than any line, and small enough to be quick to encode. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Encodes text as UTF-8, in chunks large enough to be written one by one. */
export async function* encodedText(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
