/**
 * Reads a tool result as an agent does whose client forwards only one of its two channels: the text of `content`,
 * read with simple patterns, or `structuredContent`. Neither view sees the other channel.
 */
import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';

/** A list item by field name. `place` is the document, line and column, for example `index.html:3:9`. */
export type Row = Readonly<Record<string, string>>;

/** A result as seen through one channel. */
export interface ResultView {
  /**
   * Finds a value by its name.
   * @param name of a field, or of a field within it: `summary.edits`
   * @returns undefined if the channel does not contain it
   */
  find(name: string): string | undefined;
  /** Returns the items of a list of records. */
  rows(name: string): Row[];
  /** Returns a text of several lines. */
  block(name: string): string;
  /** Returns the code of the error. */
  errorCode(): string | undefined;
}

export interface Channel {
  name: string;
  view(result: CallToolResult): ResultView;
}

/**
 * Returns a value by its name.
 * @throws AssertionError if the channel does not contain it
 */
export function readField(view: ResultView, name: string): string {
  const fact = view.find(name);
  assert.ok(fact !== undefined, `the channel does not tell ${name}`);
  return fact;
}

class TextView implements ResultView {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  find(name: string): string | undefined {
    const [line, field] = name.split('.');
    const found = new RegExp(`^${line}: (.*)$`, 'm').exec(this.#text)?.[1];
    if (field === undefined) return found;
    return new RegExp(`(?:^|[ (])${field} ([^\\s,)]+)`).exec(found ?? '')?.[1];
  }

  rows(name: string): Row[] {
    const table = new RegExp(`^${name} \\(([^)]+)\\):\\n`, 'm').exec(this.#text);
    if (!table) return [];
    const columns = table[1]!.split(' | ');
    const rows: Row[] = [];
    for (const line of this.#text.slice(table.index + table[0].length).split('\n')) {
      if (/^$|^[a-z_]+(?: \([^)]+\))?:(?: |$)/.test(line)) break;
      const cells = line.split(' | ');
      rows.push(Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])));
    }
    return rows;
  }

  block(name: string): string {
    const start = `\n${name}:\n`;
    const at = this.#text.indexOf(start);
    assert.ok(at >= 0, `the text has no ${name}`);
    return this.#text.slice(at + start.length);
  }

  errorCode(): string | undefined {
    return /^([a-z_]+): /.exec(this.#text)?.[1];
  }
}

type Json = Readonly<Record<string, unknown>>;

class StructuredView implements ResultView {
  readonly #content: Json;

  constructor(content: Json) {
    this.#content = content;
  }

  find(name: string): string | undefined {
    const value = name
      .split('.')
      .reduce<unknown>((outer, field) => (outer as Json | undefined)?.[field], this.#content);
    return value === null || value === undefined ? undefined : String(value);
  }

  rows(name: string): Row[] {
    return (this.#content[name] as Json[]).map((item) => {
      const fields = Object.entries(item).map(([field, value]) => [
        field,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ]);
      const place = [item.file, item.line, item.column].filter((part) => part !== undefined).join(':');
      return { ...Object.fromEntries(fields), place };
    });
  }

  block(name: string): string {
    const block = this.#content[name];
    assert.equal(typeof block, 'string', `the structured content has no ${name}`);
    return block as string;
  }

  errorCode(): string | undefined {
    return (this.#content.error as Json | undefined)?.code as string | undefined;
  }
}

export const CHANNELS: readonly Channel[] = [
  {
    name: 'content',
    view: ({ content }) => new TextView(content.map((block) => (block.type === 'text' ? block.text : '')).join('')),
  },
  { name: 'structuredContent', view: ({ structuredContent }) => new StructuredView(structuredContent as Json) },
];
