/** Text of a document that records where its references are. */
import type { ReferenceRole } from '../../../web-documents/reading.ts';

/** A reference that a scan must find. */
export interface ExpectedReference {
  role: ReferenceRole;
  /** As written in the text. */
  raw: string;
  /** The absolute address. */
  url: string;
  /** Counted from 1; 0 for a reference that is in no text. */
  line: number;
  column: number;
}

export class SourceText {
  #text = '';
  readonly #places: { at: number; role: ReferenceRole; raw: string; url: string }[] = [];

  get text(): string {
    return this.#text;
  }

  add(text: string): this {
    this.#text += text;
    return this;
  }

  /** Adds the spelling of an address and records its position. */
  plant(role: ReferenceRole, raw: string, url: string): this {
    this.#places.push({ at: this.#text.length, role, raw, url });
    return this.add(raw);
  }

  /** All references, in the order of the text. */
  get planted(): ExpectedReference[] {
    let line = 1;
    let lineStart = 0;
    return this.#places.map(({ at, ...place }) => {
      for (let next = this.#text.indexOf('\n', lineStart); next >= 0 && next < at; ) {
        line += 1;
        lineStart = next + 1;
        next = this.#text.indexOf('\n', lineStart);
      }
      return { ...place, line, column: at - lineStart + 1 };
    });
  }
}
