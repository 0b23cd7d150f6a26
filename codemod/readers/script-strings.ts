/** Reads code that cannot be parsed: only its strings and comments are found. */
import type { Reason } from './candidate.ts';
import { type EmbeddedSource, matchedRanges, withUnknown } from './embedded-source.ts';
import { SCRIPT_ESCAPES, scriptString } from './escapes.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { isJoined, lexemes, SCRIPT } from './strings.ts';
import { readValue } from './value.ts';

export function readStrings(sink: ReferenceCollector, layer: EmbeddedSource, reason: Reason | undefined): void {
  const { text } = layer;
  for (const { kind, quote, start, end, inner } of lexemes(text, SCRIPT)) {
    if (kind === 'comment') readPlainText(sink, layer.part(inner), 'string', 'comment');
    else {
      const part = layer.part({ start, end });
      const hidden = quote === '`' ? part.reading(withoutExpressions(part.text)) : part;
      const content = { start: inner.start - start, end: inner.end - start };
      const value = hidden.unescaped(content, SCRIPT_ESCAPES, scriptString(quote));
      readValue(sink, value, { kind: 'string', reason: isJoined(text, start, end, '+') ? 'dynamic' : reason });
    }
  }
}

const withoutExpressions = (template: string): string =>
  withUnknown(template, matchedRanges(template, /\$\{[^{}]*\}/g));
