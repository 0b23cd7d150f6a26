/** Text on its way into a file. */

/** Larger than any line, smaller than what anybody would notice. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Text as bytes of UTF-8, in pieces that are worth a write each. */
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
