/** Reads templ files: Go functions that contain markup, with Go expressions in braces. */
import type { EmbeddedSource } from './embedded-source.ts';
import { LANGUAGES, readLiterals } from './literals.ts';
import { readMarkup } from './markup.ts';
import type { ReferenceCollector } from './reference-collector.ts';

const OPEN = /^(?:templ|css|script)[ \t][^\n]*\{[ \t]*\r?$/gm;
const CLOSE = /^\}/gm;

export function readTempl(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const { text } = layer;
  let code = 0;
  const readCode = (end: number) => {
    readLiterals(sink, layer.part({ start: code, end }), LANGUAGES.go, { kind: 'string' });
  };
  OPEN.lastIndex = 0;
  for (let open = OPEN.exec(text); open; open = OPEN.exec(text)) {
    CLOSE.lastIndex = open.index;
    const end = CLOSE.exec(text)?.index ?? text.length;
    readCode(open.index);
    readMarkup(sink, layer.part({ start: open.index, end }), { braces: 'plain', foreignValues: true });
    code = end;
    OPEN.lastIndex = end;
  }
  readCode(text.length);
}
