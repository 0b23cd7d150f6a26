/** Reads literals with interpolated expressions in Pug, Haml and Slim. */
import type { Range } from '../../web-documents/source-text.ts';
import { type EmbeddedSource, matchedRanges, percentEncode, withUnknown } from './embedded-source.ts';
import { PHP_SINGLE_ESCAPES, phpSingle, SCRIPT_ESCAPES, scriptString } from './escapes.ts';

const RUBY = /(?<!\\)#\{[^}]*\}?/g;
const PUG = /(?<!\\)[#!$]\{[^}]*\}?/g;

/** Replaces the matches of `pattern` by unknown characters. */
function known(layer: EmbeddedSource, pattern: RegExp): EmbeddedSource {
  const found = matchedRanges(layer.text, pattern);
  return found.length > 0 ? layer.reading(withUnknown(layer.text, found)) : layer;
}

/** Text of Haml and Slim. */
export const rubyText = (layer: EmbeddedSource): EmbeddedSource => known(layer, RUBY);

export const pugText = (layer: EmbeddedSource): EmbeddedSource => known(layer, PUG);

/** Reads a Ruby literal. @param range including its quotes */
export function rubyLiteral(layer: EmbeddedSource, range: Range): EmbeddedSource {
  const whole = layer.part(range);
  const inner = { start: 1, end: whole.text.length - 1 };
  if (whole.text.startsWith("'")) return whole.unescaped(inner, PHP_SINGLE_ESCAPES, phpSingle);
  const write = scriptString('"');
  return rubyText(whole).unescaped(inner, SCRIPT_ESCAPES, (text) => write(percentEncode(text, /#(?=[{$@])/g)));
}

/** Reads a JavaScript literal in Pug. @param range including its quotes */
export function pugLiteral(layer: EmbeddedSource, range: Range): EmbeddedSource {
  const whole = layer.part(range);
  const write = scriptString(whole.text[0]!);
  return pugText(whole).unescaped({ start: 1, end: whole.text.length - 1 }, SCRIPT_ESCAPES, (text) =>
    write(percentEncode(text, /[#!](?=\{)/g)),
  );
}

/** Reads a quoted value of Slim, which has expressions but no escapes. @param range including its quotes */
export function slimLiteral(layer: EmbeddedSource, range: Range): EmbeddedSource {
  const whole = rubyText(layer.part(range));
  return whole.part({ start: 1, end: whole.text.length - 1 }, (text) =>
    percentEncode(text, /["'\\]|[^ -\uffff]|#(?=\{)/g),
  );
}
