/**
 * Finds addresses of originals in plain text, in any language. What no reader has found is reported, so that no
 * reference is missed silently.
 */
import { posix } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import type { Replacement } from '../../replacement-package/replacement.ts';
import type { Range } from '../../web-documents/source-text.ts';
import type { Candidate } from '../readers/candidate.ts';
import { decodedPath, nameOf, parseAddress } from './address.ts';
import type { ProjectImages } from './images.ts';

/** Maximum hits per file: a database dump may name the same image on every line. */
const MAX_HITS_PER_FILE = 1000;
const MAX_ADDRESS_CHARACTERS = 2000;
/** More than the longest file name. */
const MAX_WORD_CHARACTERS = 1000;

/** A run of characters that end an address in no language. */
const WORD = /[\p{L}\p{N}\p{M}_.%~@+-]+/gu;
const LAST_WORD = new RegExp(`${WORD.source}$`, 'u');
/** Separators within an address that is encoded in another one or escaped in a string. */
const ENCODED_SEPARATOR = /%(?:2f|3f|23|26|3d|3a|2c|22|27|3c|3e|20)|u00(?:2f|26|3d)|[~@+]/gi;
const NAME = /\.[a-z\d]{2,5}$/i;
/** An address without a file extension is searched for with its folder, since its name alone may be just a number. */
const MIN_PATH_CHARACTERS = 4;
/** Characters that cannot precede the name in an address. A slash may be escaped. */
const NOT_IN_ADDRESS = /[\s"'`<>()[\]{}|=,;*\\]/;
const ADDRESS_END = /(?:\?[^\s"'`<>()[\]{}|\\^,;]*)?(?:#[\w-]*)?/uy;

/** An address in a text. */
export interface TextHit extends Range {
  /** The file name in the address, decoded. */
  name: string;
  address: string;
}

export class OriginalNames {
  /** Names by their last word. */
  readonly #names: ReadonlyMap<string, readonly string[]>;

  constructor(lines: readonly Replacement[], images: ProjectImages) {
    const names = new Set(lines.flatMap(spellings));
    for (const { file } of images.found) names.add(posix.basename(file));
    this.#names = groupBy([...names].filter(Boolean), (name) => LAST_WORD.exec(name)?.[0] ?? '');
  }

  *in(text: string): Generator<TextHit> {
    let count = 0;
    for (const { 0: whole, index: first } of text.matchAll(WORD)) {
      const index = first + Math.max(0, whole.length - MAX_WORD_CHARACTERS);
      const found = whole.slice(index - first);
      for (const part of partsOf(found, text[index - 1] === '\\')) {
        const end = index + part.end;
        const name = this.#nameAt(text, found.slice(part.start, part.end), end);
        if (name === undefined) continue;
        yield hitAt(text, name, { start: end - name.length, end });
        count += 1;
        if (count >= MAX_HITS_PER_FILE) return;
        break;
      }
    }
  }

  /** The longest name that ends at this offset. */
  #nameAt(text: string, word: string, end: number): string | undefined {
    let longest: string | undefined;
    for (const name of this.#names.get(word) ?? []) {
      const start = end - name.length;
      if (name.length <= (longest?.length ?? 0) || !text.startsWith(name, start)) continue;
      if (name === word || !/[\p{L}\p{N}\p{M}_-]/u.test(text[start - 1] ?? '')) longest = name;
    }
    return longest;
  }
}

/** The spellings of an image's name that sources may use; of its path if it has no extension. */
function spellings({ from_path: fromPath, raw }: Replacement): string[] {
  const paths = [fromPath, ...raw].flatMap((address) => parseAddress(address)?.path ?? []);
  return [...new Set(paths)].flatMap((path) => {
    const written = NAME.test(path) ? nameOf(path) : path.length >= MIN_PATH_CHARACTERS ? path : '';
    const decoded = decodedPath(written);
    return [written, decoded, decoded.normalize('NFD'), written.replaceAll('&', '&amp;')];
  });
}

/** Parts of a word that may be a name: the whole word, without punctuation, and between encoded separators. */
function partsOf(word: string, isEscaped: boolean): Range[] {
  const [before, after] = [/^[._~@+-]*/.exec(word)![0].length, /[._~@+%-]*$/.exec(word)![0].length];
  const parts: Range[] = [
    { start: 0, end: word.length },
    { start: before, end: word.length - after },
    // Without punctuation at the end, such as that of a sentence.
    { start: 0, end: word.length - after },
  ];
  // Without the letter of an escape such as `\n`.
  if (isEscaped) parts.push({ start: 1, end: word.length });
  let start = 0;
  for (const { 0: separator, index } of word.matchAll(ENCODED_SEPARATOR)) {
    parts.push({ start, end: index });
    start = index + separator.length;
  }
  if (start > 0) parts.push({ start, end: word.length });
  return parts;
}

function hitAt(text: string, name: string, { start: nameStart, end: nameEnd }: Range): TextHit {
  const start = addressStart(text, nameStart);
  ADDRESS_END.lastIndex = nameEnd;
  const end = nameEnd + Math.min(MAX_ADDRESS_CHARACTERS, ADDRESS_END.exec(text)![0].length);
  const written = text.slice(start, end).replaceAll('\\/', '/');
  const decoded = decodedPath(nameOf(name));
  const readings = [written, written.replace(/^.*:(?!\/\/)/s, ''), decodedAddress(written)];
  return { start, end, name: decoded, address: readings.find((address) => nameIn(address) === decoded) ?? name };
}

function addressStart(text: string, nameStart: number): number {
  const first = Math.max(0, nameStart - MAX_ADDRESS_CHARACTERS);
  let start = nameStart;
  while (start > first) {
    const before = text[start - 1]!;
    if (before === '/' && text[start - 2] === '\\') start -= 2;
    else if (NOT_IN_ADDRESS.test(before)) break;
    else start -= 1;
  }
  return start;
}

function decodedAddress(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** The decoded file name of an address. */
function nameIn(address: string): string | undefined {
  const parsed = parseAddress(address);
  return parsed && nameOf(decodedPath(parsed.path));
}

/** Whether a reader has already found this place, for an image of the package or any other. */
export function isReadBy({ start, end, name }: TextHit, candidate: Candidate, isMatched: boolean): boolean {
  if (candidate.start >= end || candidate.end <= start) return false;
  return isMatched || nameIn(candidate.address) === name;
}

/**
 * Turns a hit into a candidate that is not edited.
 * @param around a reader's candidate for the same place that has a reason, such as an address with an expression
 */
export function candidateOf(text: string, { start, end, address }: TextHit, around: Candidate | undefined): Candidate {
  if (around) return { ...around, address };
  return {
    start,
    end,
    raw: text.slice(start, end),
    address,
    kind: 'text',
    encode: (written) => written,
    reason: 'unsupported_type',
  };
}
