/** Escape rules of languages: how to read string escapes, and how to write addresses in strings. */
import { CSS_ESCAPE, readCssEscape } from '../../web-documents/css-escapes.ts';
import { type Encode, type Escapes, percentEncode } from './embedded-source.ts';

export const CSS_ESCAPES: Escapes = {
  pattern: CSS_ESCAPE,
  read: ([, hex, line, character]) => readCssEscape(hex, line, character),
};

/** ASCII control characters. */
const NON_PRINTABLE = /[^ -~\x80-\uffff]/g;
/** Percent-encoded, because preprocessors evaluate expressions in strings too. */
const CSS_BRACES = /[{}]/g;

function cssControl(character: string): string {
  // CSS has no escape for NUL.
  return character === '\0' ? '%00' : `\\${character.charCodeAt(0).toString(16)} `;
}

export const cssString =
  (quote: string): Encode =>
  (text) =>
    percentEncode(text, CSS_BRACES)
      .replace(quote === '"' ? /["\\]/g : /['\\]/g, '\\$&')
      .replace(NON_PRINTABLE, cssControl);

/** For unquoted `url()`. A leading `$` or `@` would be a preprocessor variable. */
export const cssUrl: Encode = (text) =>
  percentEncode(text, CSS_BRACES)
    .replace(/[\\"'() ]|^[$@]/g, '\\$&')
    .replace(NON_PRINTABLE, cssControl);

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** For JavaScript and JSON. */
export const SCRIPT_ESCAPES: Escapes = {
  pattern: /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|(\r\n|[\n\r\u2028\u2029])|(0(?!\d))|([\s\S]))/gi,
  read: ([, byte, unit, point, line, zero, character]) => {
    const hex = byte ?? unit ?? point;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    if (line !== undefined) return '';
    return zero === undefined ? (CONTROLS[character!] ?? character!) : '\0';
  },
};

/** For double-quoted strings of YAML and TOML. */
export const DATA_ESCAPES: Escapes = {
  pattern: /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|((?:\r\n|\n)[ \t]*)|([\s\S]))/gi,
  read: ([whole, byte, unit, point, line, character]) => {
    const hex = byte ?? unit ?? point;
    if (hex !== undefined && (point === undefined) === (whole[1] !== 'U')) return codePoint(Number.parseInt(hex, 16));
    if (line !== undefined) return '';
    return CONTROLS[character ?? ''] ?? character ?? whole;
  },
};

const codePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');

const unicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export function scriptString(quote: string): Encode {
  return (text) =>
    text
      .replace(/\\/g, '\\\\')
      .replaceAll(quote, `\\${quote}`)
      .replace(/\$\{/g, quote === '`' ? '\\${' : '$&')
      .replace(/[^ -~\x80-\u2027\u202a-\uffff]/g, unicode);
}

/** For double quotes; also for YAML and TOML. */
export const jsonString: Encode = scriptString('"');

/** For single quotes of YAML: a quote is doubled. */
export const yamlSingle: Encode = (text) => withoutControls(text).replaceAll("'", "''");

/** For literal strings of TOML, which have no escapes. */
export const tomlLiteral: Encode = (text) => percentEncode(withoutControls(text), /'/g);

export const PHP_SINGLE_ESCAPES: Escapes = { pattern: /\\(['\\])/g, read: ([, character]) => character! };
export const phpSingle: Encode = (text) => text.replace(/['\\]/g, '\\$&');

export const PHP_DOUBLE_ESCAPES: Escapes = {
  pattern: /\\(?:u\{([\da-f]{1,6})\}|x([\da-f]{1,2})|([nrtvef])|([\\$"]))/gi,
  read: ([whole, point, byte, control, character]) => {
    const hex = point ?? byte;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    return character ?? (control === 'e' ? '\x1b' : (CONTROLS[control!] ?? whole));
  },
};
export const phpDouble: Encode = (text) =>
  text
    .replace(/[\\$"]/g, '\\$&')
    .replace(/\r/g, '\\r')
    .replace(/\n/g, '\\n');

export const withoutControls = (text: string): string => percentEncode(text, NON_PRINTABLE);

const SPACES = /[^!-~\x80-\uffff]/g;

/** For places that end at a space. */
export const withoutSpaces = (text: string): string => percentEncode(text, SPACES);

/** For a `srcset` candidate: leading and trailing commas would separate it from others. */
export const srcsetAddress: Encode = (text) =>
  withoutSpaces(text).replace(/^,+|,+$/g, (all) => '%2C'.repeat(all.length));

/** For elements with raw text: `<` is encoded, so that nothing can end the element. */
export const rawText: Encode = (text) => percentEncode(text, /</g);

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;', "'": '&#39;' };

const reference = (character: string): string => REFERENCES[character] ?? `&#${character.charCodeAt(0)};`;

/** For an attribute value. @param quote empty for an unquoted value */
export function attributeValue(quote: string): Encode {
  const pattern = quote === '"' ? /[&<"\n\r\t]/g : quote === "'" ? /[&<'\n\r\t]/g : /[&<>"'`=]|[^!-~\x80-\uffff]/g;
  return (text) => text.replace(pattern, reference);
}

export const markupText: Encode = (text) => text.replace(/[&<]/g, reference).replace(/\]\]>/g, ']]&gt;');
