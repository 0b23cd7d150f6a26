/** Computes the edits of a source: replaced addresses, or `picture` elements (docs/spec/shapes.md, section 18.6). */

import { posix } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';
import type { LineIndex } from '../../web-documents/source-text.ts';
import { parseSrcset } from '../../web-documents/srcset.ts';
import type { ImageTag } from '../readers/candidate.ts';
import { parseAddress, replaceName } from '../references/address.ts';
import type { Reference } from '../references/reference.ts';
import type { Source } from '../references/source.ts';
import type { Fallback } from './picture-fallbacks.ts';
import { applyEdits, type Edit, type Strategy } from './plan.ts';

/** A reference to edit, with the path of the new file. */
export interface ReferenceToEdit {
  reference: Reference;
  target: string;
  /** For the strategy `picture`: the path of the AVIF version. */
  avifTarget?: string;
}

export interface FileEdits {
  edits: Edit[];
  /** References that cannot be edited because a neighbouring one is not edited. */
  left: Reference[];
  /** Images of the strategy `picture` whose addresses are replaced instead, by their first reference. */
  fallbacks: { reference: Reference; fallback: Fallback }[];
}

/**
 * @param wanted references of this source
 * @param fallbackOf returns why an image must not get a `picture`
 */
export function editsFor(
  source: Source,
  wanted: readonly ReferenceToEdit[],
  strategy: Strategy,
  fallbackOf: (image: ImageTag) => Fallback | undefined = () => undefined,
): FileEdits {
  const { places } = source;
  const made = wanted.flatMap((each) => swapOf(source, each, places) ?? []);
  // Diffs are line-based: an edit that changes the number of lines is not possible.
  const [joining, plain] = [made.filter(changesLineCount), made.filter((swap) => !changesLineCount(swap))];
  const { swaps, types, left } = withTypes(source.text, plain, places);
  left.push(...joining.map(({ reference }) => reference));
  const { edits, fallbacks } =
    strategy === 'picture'
      ? withPictures(source, swaps, places, fallbackOf)
      : { edits: swaps.map(({ edit }) => edit), fallbacks: [] };
  edits.push(...types);
  edits.sort((one, other) => one.start - other.start);
  const apart = edits.filter((edit, index) => index === 0 || edit.start >= edits[index - 1]!.end);
  return { edits: apart, left, fallbacks };
}

interface Swap {
  edit: Edit;
  /** The same edit with the AVIF file. */
  avif: Edit | undefined;
  reference: Reference;
}

function swapOf(
  { text }: Source,
  { reference, target, avifTarget }: ReferenceToEdit,
  places: LineIndex,
): Swap | undefined {
  const { candidate, line, confidence, isLiteral } = reference;
  const { start, end } = candidate;
  const before = text.slice(start, end);
  const editTo = (file: string): Edit => {
    const address = replaceName(parseAddress(candidate.address)!, posix.basename(file), isLiteral);
    const after = candidate.encode(address);
    return { start, end, before, after, ...places.at(start), seq: line.seq, confidence, targets: [file] };
  };
  const edit = editTo(target);
  if (edit.after === before) return undefined;
  return { reference, edit, avif: avifTarget === undefined ? undefined : editTo(avifTarget) };
}

const changesLineCount = ({ edit: { before, after } }: Swap): boolean =>
  before.split('\n').length !== after.split('\n').length;

/** Kinds of places whose element declares the format in a `type`. */
const TYPED: ReadonlySet<string> = new Set([
  'picture_source',
  'link_preload',
  'link_icon',
  'object_data',
  'css_image_set',
]);

/**
 * Updates a declared format together with its address. If it would become wrong for other addresses, nothing is edited.
 */
function withTypes(
  text: string,
  all: readonly Swap[],
  places: LineIndex,
): { swaps: Swap[]; types: Edit[]; left: Reference[] } {
  const swaps: Swap[] = [];
  const types: Edit[] = [];
  const left: Reference[] = [];
  for (const [declared, own] of groupBy(all, (swap) => typeBeside(text, swap)?.start)) {
    const formats = new Set(own.map(({ reference }) => reference.line.to_format));
    const type = declared === undefined ? undefined : typeBeside(text, own[0]!)!;
    if (type === undefined || formatOf(type.value) === undefined) {
      swaps.push(...own);
      continue;
    }
    const [format] = formats;
    if (formats.size > 1 || own.length < type.addresses) {
      left.push(...own.map(({ reference }) => reference));
      continue;
    }
    swaps.push(...own);
    const after = FORMATS[format as FormatId]?.contentTypes[0];
    if (after === undefined || after === type.value) continue;
    const { start, value } = type;
    const end = start + value.length;
    const { seq, confidence, targets } = own[0]!.edit;
    types.push({ start, end, before: value, after, ...places.at(start), seq, confidence, targets });
  }
  return { swaps, types, left };
}

const formatOf = (type: string): FormatId | undefined =>
  (Object.keys(FORMATS) as FormatId[]).find((id) => (FORMATS[id].contentTypes as readonly string[]).includes(type));

interface DeclaredType {
  /** Offset in the text. */
  start: number;
  value: string;
  /** Number of addresses that it applies to. */
  addresses: number;
}

const MAX_TAG_LENGTH = 20_000;

/** The type declared in the tag of an address, or the `type()` after it in an `image-set()`. */
function typeBeside(text: string, { reference: { candidate } }: Swap): DeclaredType | undefined {
  const { kind, start, end } = candidate;
  if (!TYPED.has(kind)) return undefined;
  if (kind === 'css_image_set') {
    const [all, before, value] =
      /^(["']?\s*\)?[^,;{}()]*type\(\s*["']?)(image\/[\w.+-]+)/i.exec(text.slice(end, end + 200)) ?? [];
    return all === undefined ? undefined : { start: end + before!.length, value: value!, addresses: 1 };
  }
  const from = text.lastIndexOf('<', start);
  const to = text.indexOf('>', end);
  if (from < 0 || to < 0 || to - from > MAX_TAG_LENGTH) return undefined;
  const tag = text.slice(from, to);
  const type = /(\stype\s*=\s*["']?)(image\/[\w.+-]+)/i.exec(tag);
  if (!type) return undefined;
  const srcset = /\s(?:image)?srcset\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag);
  const addresses = srcset ? parseSrcset(srcset[1] ?? srcset[2] ?? '').length : 1;
  return { start: from + type.index + type[1]!.length, value: type[2]!, addresses };
}

/** Wraps an image in a `picture` if all of its references allow it. Otherwise its addresses are replaced. */
function withPictures(
  { path, text }: Source,
  swaps: readonly Swap[],
  places: LineIndex,
  fallbackOf: (image: ImageTag) => Fallback | undefined,
): Pick<FileEdits, 'edits' | 'fallbacks'> {
  const edits: Edit[] = [];
  const fallbacks: FileEdits['fallbacks'] = [];
  const syntax = /\.mdx$/i.test(path) ? JSX : HTML;
  for (const [image, own] of groupBy(swaps, ({ reference }) => reference.candidate.image)) {
    if (image?.hasPicture && hasNewSource(text, image, own)) continue;
    const sources = image && sourceElements(text, image, own, syntax);
    const fallback = sources ? fallbackOf(image) : undefined;
    if (fallback) fallbacks.push({ reference: own[0]!.reference, fallback });
    if (!sources || fallback) {
      edits.push(...own.map(({ edit }) => edit));
      continue;
    }
    const before = text.slice(image.start, image.end);
    const { seq, confidence } = own[0]!.edit;
    const after = `<picture ${syntax.contents}>${sources.markup}${before}</picture>`;
    edits.push({
      start: image.start,
      end: image.end,
      before,
      after,
      ...places.at(image.start),
      seq,
      confidence,
      targets: sources.targets,
    });
  }
  return { edits, fallbacks };
}

interface PictureSyntax {
  /**
   * Removes the `picture` box from the layout, so that the `img` is laid out as if it had none (CSS Display 3, 2.5).
   */
  contents: string;
  /**
   * Hides the `source`. Browsers lay it out as an empty element: in a flex container it would be an item with a gap.
   */
  none: string;
  srcset: string;
}

const HTML: PictureSyntax = {
  contents: 'style="display: contents"',
  none: 'style="display: none"',
  srcset: 'srcset',
};
/** React rejects a string as style. */
const JSX: PictureSyntax = {
  contents: "style={{ display: 'contents' }}",
  none: "style={{ display: 'none' }}",
  srcset: 'srcSet',
};

interface PictureSources {
  markup: string;
  targets: Edit['targets'];
}

/**
 * Builds the `source` elements for an `img`; undefined if it is not a simple case. Browsers use the first source with a
 * supported type (HTML standard, "update the source set"), so AVIF comes before WebP. It is used if all files have an
 * AVIF.
 */
function sourceElements(
  text: string,
  image: ImageTag,
  swaps: readonly Swap[],
  syntax: PictureSyntax,
): PictureSources | undefined {
  if (image.hasPicture) return undefined;
  const isPlain = swaps.every(({ reference: { candidate, line } }) => {
    const isOwn = candidate.kind === 'img_src' || candidate.kind === 'img_srcset';
    return isOwn && line.to_format !== line.from_format;
  });
  const types = new Set(swaps.map(({ reference }) => FORMATS[reference.line.to_format as FormatId]?.contentTypes[0]));
  const [type] = types;
  if (!isPlain || types.size !== 1 || type === undefined) return undefined;
  const srcset = image.attributes.get('srcset');
  const chosen = swaps.filter(
    ({ reference }) => (reference.candidate.kind === 'img_srcset') === (srcset !== undefined),
  );
  const edits = chosen.map(({ edit }) => edit);
  const element = sourceElement(text, image, edits, type, syntax);
  if (element === undefined) return undefined;
  const avifs = chosen.flatMap(({ avif }) => avif ?? []);
  const isComplete = avifs.length === chosen.length;
  const avif = isComplete ? sourceElement(text, image, avifs, AVIF_TYPE, syntax) : undefined;
  const targets = [...(avif === undefined ? [] : avifs), ...edits].flatMap((edit) => edit.targets);
  return { markup: (avif ?? '') + element, targets };
}

const AVIF_TYPE = FORMATS.avif.contentTypes[0];

/** @param edits of the image's `srcset`, or of its `src` if it has none */
function sourceElement(
  text: string,
  image: ImageTag,
  edits: readonly Edit[],
  type: string,
  { none, srcset: srcsetName }: PictureSyntax,
): string | undefined {
  const srcset = image.attributes.get('srcset');
  const sizes = image.attributes.get('sizes');
  const [first] = edits;
  if (!first) return undefined;
  // All candidates of the srcset must be replaced: a browser that uses this source ignores the original ones.
  const written = srcset
    ? edits.length === parseSrcset(srcset.value).length && innerText(text, srcset, edits)
    : first.after.trim().replaceAll(/[\s,]/g, encodeURIComponent);
  if (!written) return undefined;
  const more = srcset && sizes ? ` sizes="${quoted(text.slice(sizes.start, sizes.end))}"` : '';
  // XHTML and MDX need the slash if the `img` has it.
  const end = /\/\s*>$/.test(text.slice(image.start, image.end)) ? ' />' : '>';
  return `<source type="${type}" ${srcsetName}="${quoted(written)}"${more} ${none}${end}`;
}

function innerText(text: string, { start, end }: { start: number; end: number }, edits: readonly Edit[]): string {
  const inner = edits
    .map((edit) => ({ start: edit.start - start, end: edit.end - start, after: edit.after }))
    .sort((one, other) => one.start - other.start);
  return applyEdits(text.slice(start, end), inner);
}

/** Escapes quotes. The text already comes from an attribute, which may have used other quotes. */
const quoted = (written: string): string => written.replaceAll('"', '&quot;');

/** Whether the `picture` around an image already contains the new file. */
function hasNewSource(text: string, image: ImageTag, swaps: readonly Swap[]): boolean {
  const start = text.toLowerCase().lastIndexOf('<picture', image.start);
  const inner = text.slice(Math.max(0, start), image.start);
  return swaps.some(({ edit }) => inner.includes(edit.after));
}
