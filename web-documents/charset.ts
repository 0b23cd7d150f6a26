/**
 * Decodes the bytes of a document (docs/spec/shapes.md, section 16.1, step 8; HTML standard, "Determining the character
 * encoding").
 */
import type { DocumentKind } from './reading.ts';

/** How far into a document declarations are searched for. */
const HEAD_BYTES = 1024;

/**
 * Decodes by byte order mark, header, or declaration inside the document; otherwise as UTF-8. Invalid bytes become
 * U+FFFD.
 * @param contentType the header
 */
export function decodeDocument(
  bytes: Uint8Array,
  contentType: string | undefined,
  kind: DocumentKind | 'sitemap',
): string {
  const head = () => Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEAD_BYTES, bytes.length)).toString('latin1');
  const decoder =
    decoderOf(byteOrderMark(bytes)) ?? decoderOf(charsetOf(contentType)) ?? decoderOf(declared(head(), kind));
  if (decoder?.encoding === WINDOWS_1252) return decodeWindows1252(bytes);
  return (decoder ?? new TextDecoder()).decode(bytes);
}

const WINDOWS_1252 = 'windows-1252';
/** 0x80 to 0x9f (Encoding standard, index windows-1252). */
const WINDOWS_1252_UPPER =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** Node 20 decodes windows-1252 as ISO 8859-1 (nodejs/node issue 56542). */
function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252_UPPER[character.charCodeAt(0) - 0x80]!);
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return undefined;
}

/** The charset of a media type. */
function charsetOf(contentType = ''): string | undefined {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType.slice(0, HEAD_BYTES)) ?? [];
  return quoted ?? plain;
}

/** @returns undefined for an unknown label */
function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function declared(head: string, kind: DocumentKind | 'sitemap'): string | undefined {
  switch (kind) {
    case 'page':
      return labelInMarkup(metaCharset(head) ?? xmlEncoding(head));
    case 'svg':
    case 'sitemap':
      return labelInMarkup(xmlEncoding(head));
    case 'stylesheet':
      return labelInMarkup(/^@charset "([^"]*)";/.exec(head)?.[1]);
    case 'manifest':
      return undefined;
  }
}

/** A declaration that is readable as single bytes cannot be in a two-byte encoding. */
function labelInMarkup(label: string | undefined): string | undefined {
  const name = label?.trim().toLowerCase();
  if (name === undefined) return undefined;
  if (/^(?:utf-?16|csunicode|iso-10646-ucs-2|ucs-2|unicode)/.test(name)) return 'utf-8';
  return name === 'x-user-defined' ? WINDOWS_1252 : name;
}

const xmlEncoding = (head: string): string | undefined =>
  /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(head)?.[1];

function metaCharset(head: string): string | undefined {
  for (const [, attributes] of head.replace(/<!--[\s\S]*?(?:-->|$)/g, '').matchAll(/<meta[\s/]([^>]*)/gi)) {
    const own = /(?:^|[\s/"'])charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(withoutContent(attributes!));
    const label = own ? (own[1] ?? own[2] ?? own[3]) : charsetOfContent(attributes!);
    if (decoderOf(labelInMarkup(label))) return label;
  }
  return undefined;
}

const CONTENT = /(?:^|[\s/"'])content\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

const withoutContent = (attributes: string): string => attributes.replace(CONTENT, ' ');

/** `http-equiv="Content-Type" content="text/html; charset=..."` */
function charsetOfContent(attributes: string): string | undefined {
  if (!/http-equiv\s*=\s*["']?content-type/i.test(attributes)) return undefined;
  const content =
    CONTENT.exec(attributes)
      ?.slice(1)
      .find((value) => value !== undefined) ?? '';
  return /charset\s*=\s*["']?([^\s;"']+)/i.exec(content)?.[1];
}
