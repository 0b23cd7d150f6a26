/** Recognises HTML and other texts by their start. Safe on the main thread. */
import { head } from './signature.ts';

const MARKUP_BYTES = 4096;
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** Returns the start of a text, without byte order mark and leading space. */
export const startOfMarkup = (bytes: Uint8Array): string =>
  head(bytes, MARKUP_BYTES).replace(BYTE_ORDER_MARK, '').trimStart();

export const isHtml = (bytes: Uint8Array): boolean =>
  /^<(?:!doctype html|html|head|body)\b/i.test(startOfMarkup(bytes));
