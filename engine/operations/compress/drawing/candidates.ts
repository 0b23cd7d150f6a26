/** The files that may be answered in place of a drawing, without its pixels. */
import { gzipSync, constants as zlib } from 'node:zlib';
import { Failure } from '../../../../base/failure.ts';
import { tokenize } from '../../../../codecs/metadata/xml.ts';
import { expandEntities } from '../../../../codecs/svg/entities.ts';
import { isPacked, readExactMarkup } from '../../../../codecs/svg/markup.ts';
import { readProlog } from '../../../../codecs/svg/prolog.ts';
import { stripMarkup } from '../../../../codecs/svg/strip.ts';
import { minifyMarkup } from '../../minify-svg/minify.ts';
import type { CompressParams } from '../params.ts';

/** svgo takes 13 s and 1.2 GB for 18 million characters of paths. Longer drawings only lose their metadata. */
const MAX_MINIFIED = 4_000_000;
/**
 * svgo looks each element up among its siblings, once for each plug-in: 265 s for three plug-ins and 200,000 siblings.
 * The sum of the squares of the numbers of siblings; 20,000 siblings take some 4 s.
 */
const MAX_LOOKUPS = 4e8;

export interface Candidates {
  /** The drawing as it came, with its metadata handled as asked. */
  original: Uint8Array;
  /** The same in fewer bytes, the smallest first; none where svgo has nothing to take away, or must not touch it. */
  minified: Uint8Array[];
}

/**
 * A packed file stays packed. Text in other encodings becomes UTF-8.
 * @returns undefined where metadata that the request wants removed cannot be
 * @throws Failure `corrupt_image`, `image_too_large`
 */
export function candidatesFor(
  file: Uint8Array,
  { metadata, mode }: Pick<CompressParams, 'metadata' | 'mode'>,
): Candidates | undefined {
  const keepsMetadata = metadata === 'keep';
  const text = readExactMarkup(file);
  const stripped = text === undefined || keepsMetadata ? text : withoutMetadata(text);
  if (stripped === undefined) return keepsMetadata ? { original: file, minified: [] } : undefined;
  const write = (markup: string): Uint8Array => {
    const plain = new TextEncoder().encode(markup);
    return isPacked(file) ? gzipSync(plain, { level: zlib.Z_BEST_COMPRESSION }) : plain;
  };
  const original = stripped === text ? file : write(stripped);
  const minified = minifiedMarkups(stripped, keepsMetadata, mode === 'lossless')
    .map(write)
    .filter(({ length }) => length < original.length)
    .sort((a, b) => a.length - b.length);
  return { original, minified };
}

/** @returns undefined for what is no well-formed XML, or has attributes that only its document type gives */
function withoutMetadata(text: string): string | undefined {
  const { root, entities, instructions, hasDefaults } = readProlog(text);
  if (!root || hasDefaults) return undefined;
  const stripped = stripMarkup(expandEntities(text.slice(root.at), entities));
  if (stripped === undefined) return undefined;
  const isPlain = entities.size === 0 && stripped.length === text.length - root.at;
  // What stands before the first element is gone with the rest; where there is nothing else to take away, a document type stays.
  const head = text.slice(0, root.at);
  return isPlain && !head.includes('<!--') && !head.includes('[') ? text : [...instructions, stripped].join('\n');
}

/** With rounded paths, unless every digit counts, and with paths as they are: rounding may show in a drawing that it suits badly. */
function minifiedMarkups(text: string, keepsMetadata: boolean, isLossless: boolean): string[] {
  if (text.length > MAX_MINIFIED || lookups(text) > MAX_LOOKUPS) return [];
  try {
    const ways = isLossless ? [true] : [false, true];
    const markups = ways.map((isExact) => minifyMarkup(text, { keepsMetadata, isExact }));
    return [...new Set(markups)].filter((markup) => markup !== undefined);
  } catch (error) {
    // svgo is stricter than what draws: whether the file is damaged is for that to say.
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** See {@link MAX_LOOKUPS}. Text that is not well-formed, or has a document type, counts as far as it can be read. */
function lookups(text: string): number {
  const { root } = readProlog(text);
  const siblings = [0];
  let sum = 0;
  const close = () => {
    sum += (siblings.pop() ?? 0) ** 2;
  };
  for (const token of tokenize(text.slice(root?.at ?? 0))) {
    if (token.kind === 'damage') break;
    if (token.kind === 'close') close();
    else siblings[siblings.length - 1]! += 1;
    if (token.kind === 'open' && !token.selfClosing) siblings.push(0);
  }
  while (siblings.length > 0) close();
  return sum;
}
