/** Reads the metadata of a file as names and values, and looks them up for other parts of the record. */
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import { readExifTags } from '../../../codecs/tags/exif-tags.ts';
import { readIptcTags } from '../../../codecs/tags/iptc-tags.ts';
import { MetadataBudget, type MetadataObject, type MetadataValue, put } from '../../../codecs/tags/plain.ts';
import { readXmpTags } from '../../../codecs/tags/xmp-tags.ts';
import type { InspectionRecord } from './record.ts';

export interface TagSets {
  exif: MetadataObject;
  iptc: MetadataObject;
  xmp: MetadataObject;
  pngText: MetadataObject;
  comment: string | undefined;
}

export function readTags({ exif, blocks, texts, comment }: FileFacts): TagSets {
  const allowance = new MetadataBudget();
  const sets = {
    exif: exif ? readExifTags(exif, allowance) : {},
    iptc: blocks.iptc ? readIptcTags(blocks.iptc, allowance) : {},
    xmp: blocks.xmp ? readXmpTags(blocks.xmp, allowance) : {},
    pngText: {},
    comment: comment === undefined ? undefined : allowance.text(comment),
  };
  for (const [keyword, text] of texts ?? []) {
    if (allowance.take()) put(sets.pngText, keyword, allowance.text(text));
  }
  return sets;
}

/** The part `metadata` of the record. */
export function describeMetadata(
  { exif, iptc, xmp, pngText, comment }: TagSets,
  { blocks }: FileFacts,
): InspectionRecord['metadata'] {
  return {
    exif: orNull(exif),
    iptc: orNull(iptc),
    xmp: orNull(xmp),
    png_text: orNull(pngText),
    comment: comment || null,
    exif_bytes: blocks.exif?.length ?? 0,
    iptc_bytes: blocks.iptc?.length ?? 0,
    xmp_bytes: blocks.xmp?.length ?? 0,
    icc_bytes: blocks.icc?.length ?? 0,
  };
}

const orNull = (tags: MetadataObject): MetadataObject | null => (Object.keys(tags).length > 0 ? tags : null);

/** The value as text; undefined if it is neither text nor a number, or is empty. */
export function textOf(value: MetadataValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const FRACTION = /^([+-]?[0-9]+(?:[.][0-9]+)?)(?:\/([0-9]+(?:[.][0-9]+)?))?$/;

/** The value as a number. XMP writes numbers as text, and fractions as two numbers. */
export function numberOf(value: MetadataValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  const single = Array.isArray(value) ? value[0] : value;
  if (typeof single === 'number') return single;
  const [, numerator, denominator = '1'] = (typeof single === 'string' && FRACTION.exec(single)) || [];
  const number = Number(numerator) / Number(denominator);
  return Number.isFinite(number) ? number : undefined;
}

/** The first of the named values that is a text. */
export function firstText(tags: MetadataObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textOf(tags[name]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The first of the named values that is a number. */
export function firstNumber(tags: MetadataObject, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const number = numberOf(tags[name]);
    if (number !== undefined) return number;
  }
  return undefined;
}

/** Whether one of the named values exists and is not empty. */
export const hasAny = (tags: MetadataObject, ...names: readonly string[]): boolean =>
  names.some((name) => {
    const value = tags[name];
    return value !== undefined && value !== null && value !== '';
  });

/** The parsed maker notes. */
export function makerNote({ exif }: TagSets): MetadataObject {
  const notes = exif.MakerNote;
  return typeof notes === 'object' && notes !== null && !Array.isArray(notes) ? notes : {};
}
