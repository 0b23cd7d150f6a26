/** The texts of licences that many packages share. Each is in the notices once. */
import { readFileSync } from 'node:fs';

export interface StandardText {
  /** SPDX. */
  id: StandardId;
  title: string;
  text: string;
}

interface Known extends StandardText {
  words: readonly string[];
}

const TITLES = {
  MIT: 'MIT License',
  ISC: 'ISC License',
  'BSD-2-Clause': 'BSD 2-Clause License',
  'BSD-3-Clause': 'BSD 3-Clause License',
  Zlib: 'zlib License',
  'MIT-Modern-Variant': 'MIT License, modern variant (HarfBuzz)',
  'LicenseRef-AGG-2.3': 'Licence of Anti-Grain Geometry 2.3',
  'Unicode-3.0': 'Unicode License v3',
  'OFL-1.1': 'SIL Open Font License 1.1',
  'Apache-2.0': 'Apache License 2.0',
  'LLVM-exception': 'LLVM Exceptions to the Apache 2.0 License',
  'LicenseRef-AOM-Patent-1.0': 'Alliance for Open Media Patent License 1.0',
  'MPL-2.0': 'Mozilla Public License 2.0',
  'LGPL-2.1': 'GNU Lesser General Public License 2.1',
  'LGPL-3.0': 'GNU Lesser General Public License 3',
  'GPL-3.0': 'GNU General Public License 3, to which the GNU Lesser General Public License 3 refers',
} as const;
export type StandardId = keyof typeof TITLES;

const readText = (id: string): string =>
  readFileSync(`scripts/licences/texts/${id.replace('LicenseRef-', '')}.txt`, 'utf8')
    .replace(/^\n+/, '')
    .trimEnd();

const KNOWN: readonly Known[] = Object.entries(TITLES).map(([id, title]) => {
  const text = readText(id);
  return { id: id as StandardId, title, text, words: wordsOf(text).map(({ word }) => word) };
});
/** One of them may contain another. */
const KNOWN_BY_LENGTH = [...KNOWN].sort((a, b) => b.words.length - a.words.length);

export const STANDARD_TEXTS: readonly StandardText[] = KNOWN;

/** The standard texts of an SPDX id: the LGPL 3 adds terms to those of the GPL 3. */
export function standardIdsOf(spdxId: string): StandardId[] {
  const id = spdxId.replace(/-(?:only|or-later)$/, '');
  if (id === 'LGPL-3.0') return ['LGPL-3.0', 'GPL-3.0'];
  return id in TITLES ? [id as StandardId] : [];
}

/** Long texts have variants: another postal address, an appendix more or less, a name filled in. */
const LONG_TEXT_WORDS = 400;
const MIN_SHARE_OF_LONG_TEXT = 0.6;
const MAX_SHARE_OF_LONG_TEXT = 1.1;
const COMPARED_FIRST_WORDS = 8;
const COMPARED_LAST_WORDS = 4;

/**
 * Takes the standard texts out of a notice and says where they were. Short ones must be the same word by word; long ones must begin in the same
 * way and be about as long, because their terms may not be changed but their appendices are.
 */
export function withoutStandardTexts(notice: string): { rest: string; ids: StandardId[] } {
  let rest = notice;
  let words = wordsOf(rest);
  const ids = new Set<StandardId>();
  for (const known of KNOWN_BY_LENGTH) {
    for (let range = rangeOf(known, words); range; range = rangeOf(known, words)) {
      const standard = rest.slice(range.start, range.end);
      const left = `${copyrightsIn(standard)}\n[Here is the text ${known.id}.]\n`;
      // The full stop after its last word is no word.
      rest = `${rest.slice(0, range.start)}\n${left}${rest.slice(range.end).replace(/^[.)*/]+/, '')}`;
      words = wordsOf(rest);
      ids.add(known.id);
    }
  }
  return { rest, ids: [...ids] };
}

/** A name that was filled in where the appendix of a licence has a placeholder. */
const copyrightsIn = (text: string): string =>
  (text.match(/^ *Copyright (?:\(c\) )?\d{4}.*$/gim) ?? [])
    .filter((line) => !line.includes('Free Software Foundation'))
    .join('\n');

export const PLACE_OF_STANDARD_TEXT = /^\[Here is the text [\w.-]+[.]\]$/;

function rangeOf(known: Known, found: readonly Word[]): { start: number; end: number } | undefined {
  const { words } = known;
  for (let first = 0; first < found.length; first++) {
    if (!matches(found, first, words.slice(0, COMPARED_FIRST_WORDS))) continue;
    const last = lastWordOf(known, found, first);
    if (last !== undefined) return { start: found[first]!.start, end: found[last]!.end };
  }
  return undefined;
}

function lastWordOf({ words }: Known, found: readonly Word[], first: number): number | undefined {
  if (words.length < LONG_TEXT_WORDS) return matches(found, first, words) ? first + words.length - 1 : undefined;
  const limit = Math.min(found.length, first + Math.ceil(words.length * MAX_SHARE_OF_LONG_TEXT));
  const ends = [words.slice(-COMPARED_LAST_WORDS), END_OF_TERMS];
  for (const end of ends)
    for (let last = limit; last >= first + words.length * MIN_SHARE_OF_LONG_TEXT; last--)
      if (matches(found, last - end.length, end)) return last - 1;
  return undefined;
}

/** Before the appendix of the Apache License, which some leave out. */
const END_OF_TERMS = ['end', 'of', 'terms', 'and', 'conditions'];

interface Word {
  word: string;
  start: number;
  end: number;
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    // Addresses in licences have changed from http to https.
    word: word.toLowerCase().replace(/^https$/, 'http'),
    start: index,
    end: index + word.length,
  }));
}

const matches = (found: readonly Word[], first: number, words: readonly string[]): boolean =>
  words.every((word, offset) => found[first + offset]?.word === word);

/** The words of a text, which are the same however it is wrapped, quoted and indented. */
export const keyOf = (text: string): string =>
  wordsOf(text)
    .map(({ word }) => word)
    .join(' ');
