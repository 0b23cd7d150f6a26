/** Text of a document that knows where the references in it stand. */
import type { ReferenceRole } from '../../../engine/documents/reading.ts';

/** A reference as a scan has to find it. */
export interface Planted {
  role: ReferenceRole;
  /** As it stands in the text. */
  raw: string;
  /** Absolute. */
  url: string;
  /** From 1; 0 for what stands in no text. */
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

  /** Adds the spelling of an address, and notes that it stands there. */
  plant(role: ReferenceRole, raw: string, url: string): this {
    this.#places.push({ at: this.#text.length, role, raw, url });
    return this.add(raw);
  }

  /** Everything planted, in the order of the text. */
  get planted(): Planted[] {
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
