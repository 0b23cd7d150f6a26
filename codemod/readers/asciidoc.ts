/** Reads AsciiDoc: the macros `image::a.png[]` and `image:a.png[]`, links to images, and passthrough markup. */
import type { Range } from '../../web-documents/source-text.ts';
import type { CandidateKind } from './candidate.ts';
import { readFrontMatter } from './data.ts';
import { type EmbeddedSource, matchedRanges, percentEncode, withUnknown } from './embedded-source.ts';
import { withoutSpaces } from './escapes.ts';
import { isBlank, type Line, linesOf } from './indented.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';

const DELIMITER = /^(?:(\/{4,})|(-{4,}|\.{4,}|`{3,}|~{3,})|(\+{4,}))[\w,-]*$/;
const MACRO = /(image::?|link:|video::)([^\s[\]]+)\[([^\]\n]*)\]|(https?:\/\/[^\s[\]<>]+)\[/g;
const IMAGES_FOLDER = /^:imagesdir:[ \t]*(\S*)/;
const ATTRIBUTE = /\{[\w-]+\}/g;
const LINKED = /\blink="?([^",\]]+)/;

export function readAsciidoc(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const start = readFrontMatter(sink, layer);
  new AsciidocReader(sink, layer).read(linesOf(layer.text).filter((line) => line.start >= start));
}

class AsciidocReader {
  readonly #sink: ReferenceCollector;
  readonly #layer: EmbeddedSource;
  /** Folder of image macros (`imagesdir`), as written; empty for the folder of the file. */
  #folder = '';

  constructor(sink: ReferenceCollector, layer: EmbeddedSource) {
    this.#sink = sink;
    this.#layer = layer;
  }

  read(lines: readonly Line[]): void {
    for (let index = 0; index < lines.length; ) index = this.#line(lines, index);
  }

  #line(lines: readonly Line[], index: number): number {
    const line = lines[index]!;
    if (isBlank(line)) return index + 1;
    const text = this.#textOf(line);
    const [delimiter, comment, code] = DELIMITER.exec(text.trimEnd()) ?? [];
    if (delimiter !== undefined) {
      let last = index + 1;
      while (last < lines.length && this.#textOf(lines[last]!).trimEnd() !== delimiter) last += 1;
      const block = { start: line.end, end: lines[last - 1]!.end };
      if (comment ?? code)
        readPlainText(this.#sink, this.#layer.part(block), 'string', comment ? 'comment' : 'code_block');
      else this.#sink.markup(this.#layer.part(block));
      return last + 1;
    }
    if (text.startsWith('//')) readPlainText(this.#sink, this.#layer.part(line), 'string', 'comment');
    else this.#text(line, text);
    return index + 1;
  }

  #textOf({ start, end }: Line): string {
    return this.#layer.text.slice(start, end);
  }

  #text(line: Line, text: string): void {
    const folder = IMAGES_FOLDER.exec(text)?.[1];
    if (folder !== undefined) this.#folder = folder.replace(/\/?$/, folder === '' ? '' : '/');
    for (const match of text.matchAll(MACRO)) {
      const [, macro = '', target, inside = '', url] = match;
      const start = line.start + match.index + macro.length;
      const range = { start, end: start + (target ?? url)!.length };
      const isImage = macro.startsWith('image');
      if (macro !== 'video::') this.#target(range, isImage ? 'img_src' : 'linked_image', isImage);
      const link = isImage ? LINKED.exec(inside) : null;
      if (!link) continue;
      const at = range.end + 1 + link.index + link[0].length - link[1]!.length;
      this.#target({ start: at, end: at + link[1]!.length }, 'linked_image', false);
    }
  }

  /** @param isImage whether it is relative to the image folder */
  #target(range: Range, kind: CandidateKind, isImage: boolean): void {
    const written = this.#layer.text.slice(range.start, range.end);
    const isRelative = isImage && !/^(?:\/|[a-z][\w+.-]*:)/i.test(written);
    const folder = isRelative ? this.#folder : '';
    const part = this.#layer.part(range, (text) =>
      percentEncode(withoutSpaces(text), isImage ? /[[\]{}]/g : /[[\]{}",]/g),
    );
    const known = part.reading(withUnknown(written, matchedRanges(written, ATTRIBUTE)));
    if (folder === '') this.#sink.add(known, { kind });
    else
      this.#sink.add(known, {
        kind,
        reason: folder.search(ATTRIBUTE) < 0 ? undefined : 'dynamic',
        address: folder + written,
        encode: (address) => (address.startsWith(folder) ? address.slice(folder.length) : address),
      });
  }
}
