/** Reads string literals of languages without their own reader. Finds literals that contain only an address. */
import type { CandidateKind, Reason } from './candidate.ts';
import { type EmbeddedSource, type Encode, percentEncode } from './embedded-source.ts';
import { encodeImageName, namesImage } from './image-name.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { GO, JAVA, type Lexeme, lexemes, PYTHON, RUBY } from './strings.ts';

export interface Language {
  pattern: RegExp;
  /** Whether adjacent literals are concatenated. */
  joinsLiterals?: boolean;
  /** Matches the start of an expression in a double-quoted literal. */
  interpolation?: RegExp;
}

export const LANGUAGES = {
  python: { pattern: PYTHON, joinsLiterals: true },
  ruby: { pattern: RUBY, joinsLiterals: true, interpolation: /#(?=[{$@])/g },
  go: { pattern: GO },
  java: { pattern: JAVA },
} as const satisfies Record<string, Language>;

export interface LiteralPlace {
  kind: CandidateKind;
  reason?: Reason | undefined;
}

/** Escapes, template expressions and format verbs (`%s`, `%d`, `%1$s`), but not `%20`. */
const COMPUTED_STRING = /\\|[{}]|%(?:[svqiru(]|[df](?![\da-f])|\d+\$)/i;
const EXPRESSION = /#?\{[^{}]*\}/g;
/** Operators before or after a literal that build another string, compare it or make it a key. */
const OPERATOR_BEFORE = /(?:[+%/&|*]|<<|[=!]=|===)$/;
const OPERATOR_AFTER = /^(?:[+%/&|*.:[]|<<|[=!]=|=>)/;
/** Methods that do not change the string. */
const UNCHANGING_METHOD = /^\.(?:freeze|html_safe)\b(?!\s*[.(+])/;
const CALL_BEFORE = /\b(?:join|resolve|format|sprintf|printf|get|replace\w*|g?sub)\s*\([^()\n]*$/i;
const MAX_BEFORE = 200;

export function readLiterals(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  language: Language,
  place: LiteralPlace,
): void {
  const all = [...lexemes(layer.text, language.pattern)];
  for (const [index, lexeme] of all.entries()) {
    if (lexeme.kind === 'comment') readPlainText(sink, layer.part(lexeme.inner), place.kind, 'comment');
    else readLiteral(sink, layer, lexeme, language, place, [all[index - 1], all[index + 1]]);
  }
}

function readLiteral(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  { inner, quote, start, end }: Lexeme,
  language: Language,
  { kind, reason }: LiteralPlace,
  [previous, next]: readonly [Lexeme | undefined, Lexeme | undefined],
): void {
  const written = layer.text.slice(inner.start, inner.end);
  if (!namesImage(written.replaceAll(EXPRESSION, 'x'))) return;
  const joined =
    language.joinsLiterals && (followsLiteral(layer.text, previous, start) || precedesLiteral(layer.text, end, next));
  const isDynamic =
    joined ||
    COMPUTED_STRING.test(written) ||
    language.interpolation?.test(written) ||
    isOperand(layer.text, start, end);
  const part = layer.part(inner, literal(quote, language));
  sink.add(part, { kind, encode: encodeImageName, reason: isDynamic ? 'dynamic' : reason });
}

const followsLiteral = (text: string, previous: Lexeme | undefined, start: number): boolean =>
  previous?.kind === 'string' && text.slice(previous.end, start).trim() === '';

const precedesLiteral = (text: string, end: number, next: Lexeme | undefined): boolean =>
  next?.kind === 'string' && text.slice(end, next.start).trim() === '';

function isOperand(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - MAX_BEFORE), start).trimEnd();
  const after = text.slice(end, end + MAX_BEFORE).trimStart();
  return (
    OPERATOR_BEFORE.test(before) ||
    CALL_BEFORE.test(before) ||
    (OPERATOR_AFTER.test(after) && !UNCHANGING_METHOD.test(after))
  );
}

/** Percent-encodes special characters, because escapes differ between the languages. */
function literal(quote: string, { interpolation }: Language): Encode {
  return (text) => {
    const plain = percentEncode(text, quote.startsWith('"') ? /["\\{}]|[^ -\uffff]/g : /['`\\{}]|[^ -\uffff]/g);
    const safe = interpolation ? percentEncode(plain, interpolation) : plain;
    // Encode a percent sign that would be read as a format verb.
    return safe.replace(/%(?=[svqiru(]|[df](?![\da-f])|\d+\$)/gi, '%25');
  };
}
