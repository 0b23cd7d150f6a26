/** Helpers that read documents in tests and check the result. */
import assert from 'node:assert/strict';
import { readPage } from '../../web-documents/page.ts';
import type { DocumentReading, ImageReference, PageFacts } from '../../web-documents/reading.ts';

export const URL_OF_PAGE = 'https://example.org/shop/index.html';

/** Reads a page, and checks that every reference is at its line and column of the source. */
export function readHtml(source: string, url = URL_OF_PAGE): DocumentReading & { page: PageFacts } {
  const reading = readPage({ source, url, xml: false });
  for (const reference of reading.references) assertPlace(source, reference);
  return reading;
}

/** Checks that `raw` is in the source at its line and column. */
export function assertPlace(
  source: string,
  { raw, line, column }: { raw: string; line: number; column: number },
): void {
  assert.notEqual(raw, '');
  const lines = source.split(/\r\n|\n|\r/);
  let offset = 0;
  for (const text of lines.slice(0, line - 1)) {
    offset += text.length;
    offset += source.startsWith('\r\n', offset) ? 2 : 1;
  }
  assert.equal(source.slice(offset + column - 1, offset + column - 1 + raw.length), raw, `${line}:${column}`);
}

/** Returns the only reference of a document. */
export function only({ references }: DocumentReading): ImageReference {
  assert.equal(references.length, 1, JSON.stringify(references.map(({ role, raw }) => [role, raw])));
  return references[0]!;
}

export function addresses({ references }: DocumentReading): string[] {
  return references.map(({ url }) => url);
}

export function bytesOf(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text)).buffer;
}
