/** The files that may be returned for an SVG without rasterising it. */
import { gzipSync, constants as zlib } from 'node:zlib';
import { Failure } from '../../../../base/failure.ts';
import { tokenize } from '../../../../codecs/metadata/xml.ts';
import { expandEntities } from '../../../../codecs/svg/entities.ts';
import { isPacked, readExactMarkup } from '../../../../codecs/svg/markup.ts';
import { readProlog } from '../../../../codecs/svg/prolog.ts';
import { stripMarkup } from '../../../../codecs/svg/strip.ts';
import type { EncodingParams } from '../../../steps/compress.ts';
import { minifyMarkup } from '../../minify-svg/minify.ts';

/** Longer SVGs only lose their metadata: svgo takes 13 s and 1.2 GB for 18 million characters of paths. */
const MAX_MINIFIED = 4_000_000;
/**
 * Limit on the sum of the squared sibling counts. svgo searches each element among its siblings, once per plug-in: 265
 * s for three plug-ins and 200,000 siblings. 20,000 siblings take about 4 s.
 */
const MAX_LOOKUPS = 4e8;

export interface Candidates {
  /** The original file, with its metadata handled as requested. */
  original: Uint8Array;
  /**
   * Smaller files with the same content, the smallest first. Empty if svgo cannot reduce the file or must not change
   * it.
   */
  minified: Uint8Array[];
}

/**
 * Makes the candidates. A gzipped file stays gzipped. Other text encodings become UTF-8.
 * @returns undefined if metadata that the request wants removed cannot be removed
 * @throws Failure `corrupt_image`, `image_too_large`
 */
export function candidatesFor(
  file: Uint8Array,
  { metadata, mode }: Pick<EncodingParams, 'metadata' | 'mode'>,
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

/** @returns undefined if the text is not well-formed XML, or has attributes that are set only by its document type */
function withoutMetadata(text: string): string | undefined {
  const { root, entities, instructions, hasDefaults } = readProlog(text);
  if (!root || hasDefaults) return undefined;
  const stripped = stripMarkup(expandEntities(text.slice(root.at), entities));
  if (stripped === undefined) return undefined;
  const isPlain = entities.size === 0 && stripped.length === text.length - root.at;
  // Removes everything before the first element. Keeps a document type if there is nothing else to remove.
  const head = text.slice(0, root.at);
  return isPlain && !head.includes('<!--') && !head.includes('[') ? text : [...instructions, stripped].join('\n');
}

/** Minifies with rounded paths, unless lossless, and with exact paths, because rounding visibly changes some SVGs. */
function minifiedMarkups(text: string, keepsMetadata: boolean, isLossless: boolean): string[] {
  if (text.length > MAX_MINIFIED || lookups(text) > MAX_LOOKUPS) return [];
  try {
    const ways = isLossless ? [true] : [false, true];
    const markups = ways.map((isExact) => minifyMarkup(text, { keepsMetadata, isExact }));
    return [...new Set(markups)].filter((markup) => markup !== undefined);
  } catch (error) {
    // svgo is stricter than the renderer, and only the renderer decides whether a file is damaged.
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
