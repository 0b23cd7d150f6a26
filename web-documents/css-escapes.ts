/** Escapes in style sheets (CSS Syntax 3, 4.3.7). */

/** Matches an escape; its groups are the parameters of {@link readCssEscape}. */
export const CSS_ESCAPE = /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\n\r\f])|([\s\S]))/gi;
const LAST_CODE_POINT = 0x10ffff;

/** Resolves the escapes of a text. */
export function resolveEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(CSS_ESCAPE, (_, hex, line, character) => readCssEscape(hex, line, character));
}

/** The character that an escape stands for. An escaped line break (`line`) stands for nothing. */
export function readCssEscape(
  hex: string | undefined,
  _line: string | undefined,
  character: string | undefined,
): string {
  if (hex === undefined) return character ?? '';
  const code = Number.parseInt(hex, 16);
  const valid = code > 0 && code <= LAST_CODE_POINT && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : '\ufffd';
}
