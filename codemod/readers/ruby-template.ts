/** Helpers shared by Haml and Slim, the indented templates of Ruby. */
import type { Range } from '../../web-documents/source-text.ts';
import { readDynamic } from './attribute-list.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { isBlank, type Line, linesOf } from './indented.ts';
import { rubyText } from './interpolated.ts';
import { LANGUAGES, readLiterals } from './literals.ts';
import type { ReferenceCollector } from './reference-collector.ts';

/** Elements that contain a block of another language, by the name of the language. */
export const BLOCK_ELEMENTS: Readonly<Record<string, string>> = { javascript: 'script', css: 'style' };

/**
 * Reads a template line by line.
 * @param read reads the non-blank line at an index and returns the index of the next line
 */
export function readLines({ text }: EmbeddedSource, read: (lines: readonly Line[], index: number) => number): void {
  const lines = linesOf(text);
  for (let index = 0; index < lines.length; ) index = isBlank(lines[index]!) ? index + 1 : read(lines, index);
}

/** The first line after `index` that starts at or after `offset`, since attributes may span several lines. */
export function lineFrom(lines: readonly Line[], index: number, offset: number): number {
  let next = index + 1;
  while (next < lines.length && lines[next]!.start < offset) next += 1;
  return next;
}

/** The range from an offset to the end of its line. */
export function restOfLine({ text }: EmbeddedSource, start: number): Range {
  const length = text.slice(start).search(/[\r\n]/);
  return { start, end: length < 0 ? text.length : start + length };
}

/** Reads the code or text after a tag. @param output matches the start of an expression whose value is printed */
export function readRest(sink: ReferenceCollector, layer: EmbeddedSource, range: Range, output: RegExp): void {
  const part = layer.part(range);
  if (output.test(part.text)) readDynamic(sink, part);
  else if (part.text.startsWith('-')) readLiterals(sink, part, LANGUAGES.ruby, { kind: 'string' });
  else readText(sink, layer, range);
}

/** Reads a text that may contain markup. */
export function readText(sink: ReferenceCollector, layer: EmbeddedSource, range: Range): void {
  if (range.end <= range.start) return;
  const part = layer.part(range);
  if (part.text.includes('<')) sink.markup(rubyText(part));
}
