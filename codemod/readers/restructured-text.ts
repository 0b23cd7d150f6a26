/** Reads reStructuredText: the directives `image` and `figure`, targets, substitutions and raw HTML. */
import type { CandidateKind } from './candidate.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { withoutSpaces } from './escapes.ts';
import { encodeImageName, namesImage } from './image-name.ts';
import { blockBelow, isBlank, linesOf } from './indented.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';

const IMAGE = /^\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?(?:image|figure|thumbnail|drawio-image)::[ \t]*(\S[^\r\n]*?)?[ \t]*$/;
const TARGET = /^:target:[ \t]+(\S[^\r\n]*?)[ \t]*$/;
const DIRECTIVE = /^\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:-]+)::(?:[ \t]+(\S+))?/;
/** Explicit markup that is not a directive, a target, a footnote or a citation. */
const COMMENT = /^\.\.(?:[ \t]+(?![_[|]|[\w:-]+::)|$)/;
const LINKED = /^\.\.[ \t]+_[^:\n]+:[ \t]+(\S[^\r\n]*?)[ \t]*$/;
const CODE = new Set(['code', 'code-block', 'sourcecode', 'literalinclude', 'parsed-literal']);

export function readRestructuredText(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const lines = linesOf(layer.text);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    if (isBlank(line)) continue;
    const text = layer.text.slice(line.first, line.end);
    const below = blockBelow(lines, index);
    if (COMMENT.test(text)) {
      const end = Math.max(line.end, below.range.end);
      readPlainText(sink, layer.part({ start: line.first, end }), 'string', 'comment');
      index = below.next - 1;
      continue;
    }
    const [, directive, argument] = DIRECTIVE.exec(text) ?? [];
    if (directive === 'raw' && argument === 'html') sink.markup(layer.part(below.range));
    else if (directive !== undefined && CODE.has(directive)) {
      const end = Math.max(line.end, below.range.end);
      readPlainText(sink, layer.part({ start: line.end, end }), 'string', 'code_block');
    } else {
      for (const [pattern, kind] of PLACES) readPlace(sink, layer, line.first, pattern.exec(text), kind);
      continue;
    }
    index = below.next - 1;
  }
}

const PLACES: readonly (readonly [pattern: RegExp, kind: CandidateKind])[] = [
  [IMAGE, 'img_src'],
  [TARGET, 'linked_image'],
  [LINKED, 'linked_image'],
];

function readPlace(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  start: number,
  match: RegExpExecArray | null,
  kind: CandidateKind,
): void {
  const address = match?.[1];
  if (!match || address === undefined) return;
  if (kind === 'linked_image' && !namesImage(address)) return;
  const at = start + match[0].trimEnd().length - address.length;
  const range = { start: at, end: at + address.length };
  // A substitution reference, `|name|`, is part of the address.
  const reason = address.includes('|') ? 'dynamic' : undefined;
  sink.add(layer.part(range, withoutSpaces), { kind, reason, encode: encodeImageName });
}
