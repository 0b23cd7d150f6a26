/** The edits of one source: addresses swapped, or `picture` elements around its images (spec/shapes.md, section 18.6). */

import { posix } from 'node:path';
import { groupBy } from '../../../../base/group-by.ts';
import { FORMATS, type FormatId } from '../../../../codecs/formats.ts';
import { Places } from '../../../../engine/documents/source-text.ts';
import { parseSrcset } from '../../../../engine/documents/srcset.ts';
import type { ImageTag } from '../readers/candidate.ts';
import { parseAddress, withName } from '../references/address.ts';
import type { Source } from '../references/find.ts';
import type { Reference } from '../references/reference.ts';
import type { Edit, Strategy } from './plan.ts';
import { spliced } from './text.ts';

/** A reference that is to be edited, and where the new file is. */
export interface Wanted {
  reference: Reference;
  target: string;
}

/** @param wanted of this source */
export function editsFor(source: Source, wanted: readonly Wanted[], strategy: Strategy): Edit[] {
  const lines = new Places(source.text);
  const swaps = wanted.flatMap((each) => swapOf(source, each, lines) ?? []);
  const edits = strategy === 'picture' ? withPictures(source, swaps, lines) : swaps.map(({ edit }) => edit);
  edits.sort((one, other) => one.start - other.start);
  return edits.filter((edit, index) => index === 0 || edit.start >= edits[index - 1]!.end);
}

interface Swap {
  edit: Edit;
  reference: Reference;
}

function swapOf({ text, encoding }: Source, { reference, target }: Wanted, lines: Places): Swap | undefined {
  const { candidate, line, confidence } = reference;
  const address = withName(parseAddress(candidate.address)!, posix.basename(target));
  const written = candidate.encode(address);
  // A file of one byte a character has no others.
  const after = encoding === 'latin1' ? written.replaceAll(/[\u0100-\uffff]+/g, encodeURIComponent) : written;
  const { start, end } = candidate;
  const before = text.slice(start, end);
  if (after === before) return undefined;
  return { reference, edit: { start, end, before, after, ...lines.at(start), seq: line.seq, confidence, target } };
}

/** Places of one image together become a `picture`, where all of them can; the others are swapped. */
function withPictures({ text }: Source, swaps: readonly Swap[], lines: Places): Edit[] {
  const edits: Edit[] = [];
  for (const [image, own] of groupBy(swaps, ({ reference }) => reference.candidate.image)) {
    if (image?.hasPicture && namesOneBefore(text, image, own)) continue;
    const source = image && sourceElement(text, image, own);
    if (!image || source === undefined) {
      edits.push(...own.map(({ edit }) => edit));
      continue;
    }
    const before = text.slice(image.start, image.end);
    const { seq, confidence, target } = own[0]!.edit;
    const after = `<picture>${source}${before}</picture>`;
    edits.push({
      start: image.start,
      end: image.end,
      before,
      after,
      ...lines.at(image.start),
      seq,
      confidence,
      target,
    });
  }
  return edits;
}

/** The `source` before an `img`; undefined where there is no plain one. */
function sourceElement(text: string, image: ImageTag, swaps: readonly Swap[]): string | undefined {
  if (image.hasPicture) return undefined;
  const isPlain = swaps.every(({ reference: { candidate, line } }) => {
    const isOwn = candidate.kind === 'img_src' || candidate.kind === 'img_srcset';
    return isOwn && line.to_format !== line.from_format;
  });
  const types = new Set(swaps.map(({ reference }) => FORMATS[reference.line.to_format as FormatId]?.contentTypes[0]));
  const [type] = types;
  if (!isPlain || types.size !== 1 || type === undefined) return undefined;
  const srcset = image.attributes.get('srcset');
  const sizes = image.attributes.get('sizes');
  const chosen = swaps.filter(
    ({ reference }) => (reference.candidate.kind === 'img_srcset') === (srcset !== undefined),
  );
  if (chosen.length === 0) return undefined;
  // All of a srcset: a browser that takes this source sees nothing of the other.
  const written = srcset
    ? chosen.length === parseSrcset(srcset.value).length && innerText(text, srcset, chosen)
    : chosen[0]!.edit.after;
  if (!written) return undefined;
  const more = srcset && sizes ? ` sizes="${quoted(text.slice(sizes.start, sizes.end))}"` : '';
  return `<source type="${type}" srcset="${quoted(written)}"${more}>`;
}

function innerText(text: string, { start, end }: { start: number; end: number }, swaps: readonly Swap[]): string {
  const inner = swaps
    .map(({ edit }) => ({ start: edit.start - start, end: edit.end - start, after: edit.after }))
    .sort((one, other) => one.start - other.start);
  return spliced(text.slice(start, end), inner);
}

/** As it is written in an attribute already, where perhaps other quotes stood around it. */
function quoted(written: string): string {
  return written.replaceAll('"', '&quot;');
}

/** The `picture` around an image has the new file already. */
function namesOneBefore(text: string, image: ImageTag, swaps: readonly Swap[]): boolean {
  const start = text.toLowerCase().lastIndexOf('<picture', image.start);
  const inner = text.slice(Math.max(0, start), image.start);
  return swaps.some(({ edit }) => inner.includes(edit.after));
}
