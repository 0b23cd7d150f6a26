/** Takes the notice of a package or library apart. */
import { keyOf, PLACE_OF_STANDARD_TEXT, type StandardId, withoutStandardTexts } from './standard-texts.ts';

export interface Notice {
  /** Lines. */
  copyright: readonly string[];
  standard: readonly StandardId[];
  /** What is no standard text, from its first line that is no copyright. */
  own: string | undefined;
}

/** Titles of licences, which the standard texts have themselves, and lines between texts. */
const TITLE =
  /^[\s#*=(>-]*(?:(?:the )?(?:mit|isc|bsd|apache)(?: (?:\d-clause|license|licence))*(?: ?\((?:mit|isc|expat)\))?|license|all rights reserved|this software is released under the mit license|mit licensed)?[\s#*=).:-]*$/i;
/** Not a sentence whose line happens to begin with the word. */
const COPYRIGHT =
  /^[\s*#/>"-]*(?:Portions )?(?:(?:Copyright|COPYRIGHT|copyright):?\s+(?:(?:\([Cc]\)|©|@)\s*(?!<year>)|\d{4}|by |(?!(?:NOTICE|HOLDER|OWNER|AND)\b)[A-Z])|(?:\([Cc]\)|©)\s*\d{4})(?!.*\bby$)/;
const AROUND_COPYRIGHT = /^[\s*#/>"-]+|(?:[\s*"\\]|<br>)+$/g;

export function readNotice(text: string): Notice {
  const { rest, ids } = withoutStandardTexts(text.replaceAll('\r\n', '\n'));
  const lines = rest.split('\n');
  const isOwn = (line: string) =>
    keyOf(line) !== '' && ![COPYRIGHT, TITLE, PLACE_OF_STANDARD_TEXT].some((form) => form.test(line));
  // Those within a text belong to its sentences.
  const firstOwn = lines.findIndex(isOwn);
  const head = firstOwn < 0 ? lines : lines.slice(0, firstOwn);
  const copyright = head.filter((line) => COPYRIGHT.test(line)).map((line) => line.replace(AROUND_COPYRIGHT, ''));
  const own = firstOwn < 0 ? undefined : withoutGaps(lines.slice(firstOwn));
  return { copyright: [...new Set(copyright)], standard: ids, own };
}

const withoutGaps = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/[\s*/]+$/, '');
