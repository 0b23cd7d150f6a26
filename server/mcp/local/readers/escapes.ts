/** How languages escape characters in their strings, and how addresses are written there. */
import { CSS_ESCAPE, readCssEscape } from '../../../../engine/documents/css-escapes.ts';
import { type Escapes, percentEncode, type Write } from './layer.ts';

export const CSS_ESCAPES: Escapes = {
  pattern: CSS_ESCAPE,
  read: ([, hex, line, character]) => readCssEscape(hex, line, character),
};

/** All that is not printable. */
const UNPRINTABLE = /[^ -~\x80-\uffff]/g;
/** Preprocessors look for their expressions in strings too. */
const CSS_BRACES = /[{}]/g;

function cssControl(character: string): string {
  // A zero cannot be written.
  return character === '\0' ? '%00' : `\\${character.charCodeAt(0).toString(16)} `;
}

export function cssString(quote: string): Write {
  return (text) =>
    percentEncode(text, CSS_BRACES)
      .replace(quote === '"' ? /["\\]/g : /['\\]/g, '\\$&')
      .replace(UNPRINTABLE, cssControl);
}

/** Of `url()` without quotes. `$` and `@` at its start are variables of preprocessors. */
export const cssUrl: Write = (text) =>
  percentEncode(text, CSS_BRACES)
    .replace(/[\\"'() ]|^[$@]/g, '\\$&')
    .replace(UNPRINTABLE, cssControl);

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Of JavaScript, and with it of JSON. */
export const SCRIPT_ESCAPES: Escapes = {
  pattern: /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|(\r\n|[\n\r\u2028\u2029])|(0(?!\d))|([\s\S]))/gi,
  read: ([, byte, unit, point, line, zero, character]) => {
    const hex = byte ?? unit ?? point;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    if (line !== undefined) return '';
    return zero === undefined ? (CONTROLS[character!] ?? character!) : '\0';
  },
};

/** Of YAML and TOML, between double quotes. */
export const DATA_ESCAPES: Escapes = {
  pattern: /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|((?:\r\n|\n)[ \t]*)|([\s\S]))/gi,
  read: ([whole, byte, unit, point, line, character]) => {
    const hex = byte ?? unit ?? point;
    if (hex !== undefined && (point === undefined) === (whole[1] !== 'U')) return codePoint(Number.parseInt(hex, 16));
    if (line !== undefined) return '';
    return CONTROLS[character ?? ''] ?? character ?? whole;
  },
};

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function scriptString(quote: string): Write {
  return (text) =>
    text
      .replace(/\\/g, '\\\\')
      .replaceAll(quote, `\\${quote}`)
      .replace(/\$\{/g, quote === '`' ? '\\${' : '$&')
      .replace(/[^ -~\x80-\u2027\u202a-\uffff]/g, unicode);
}

/** Between double quotes; also of YAML and TOML. */
export const jsonString: Write = scriptString('"');

/** Two single quotes for one: YAML. */
export const yamlSingle: Write = (text) => withoutControls(text).replaceAll("'", "''");

/** Nothing can be escaped there: TOML. */
export const tomlLiteral: Write = (text) => percentEncode(withoutControls(text), /'/g);

export const PHP_SINGLE_ESCAPES: Escapes = { pattern: /\\(['\\])/g, read: ([, character]) => character! };
export const phpSingle: Write = (text) => text.replace(/['\\]/g, '\\$&');

export const PHP_DOUBLE_ESCAPES: Escapes = {
  pattern: /\\(?:u\{([\da-f]{1,6})\}|x([\da-f]{1,2})|([nrtvef])|([\\$"]))/gi,
  read: ([whole, point, byte, control, character]) => {
    const hex = point ?? byte;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    return character ?? (control === 'e' ? '\x1b' : (CONTROLS[control!] ?? whole));
  },
};
export const phpDouble: Write = (text) =>
  text
    .replace(/[\\$"]/g, '\\$&')
    .replace(/\r/g, '\\r')
    .replace(/\n/g, '\\n');

export function withoutControls(text: string): string {
  return percentEncode(text, UNPRINTABLE);
}

const SPACES = /[^!-~\x80-\uffff]/g;

/** For places that a space ends. */
export function withoutSpaces(text: string): string {
  return percentEncode(text, SPACES);
}

/** A candidate of `srcset`: commas at its ends part it from others. */
export const srcsetAddress: Write = (text) =>
  withoutSpaces(text).replace(/^,+|,+$/g, (all) => '%2C'.repeat(all.length));

/** Inside an element whose content is text alone: nothing can end it. */
export const rawText: Write = (text) => percentEncode(text, /</g);

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;', "'": '&#39;' };

function reference(character: string): string {
  return REFERENCES[character] ?? `&#${character.charCodeAt(0)};`;
}

/** A value of an attribute. @param quote '' where there is none */
export function attributeValue(quote: string): Write {
  const pattern = quote === '"' ? /[&<"\n\r\t]/g : quote === "'" ? /[&<'\n\r\t]/g : /[&<>"'`=]|[^!-~\x80-\uffff]/g;
  return (text) => text.replace(pattern, reference);
}

export const markupText: Write = (text) => text.replace(/[&<]/g, reference).replace(/\]\]>/g, ']]&gt;');
