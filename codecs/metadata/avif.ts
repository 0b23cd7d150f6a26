/**
 * Metadata of AVIF files: EXIF and XMP items, and the ICC profile among the properties of the primary item. Rotation
 * and mirroring (irot, imir), CICP numbers and light levels are part of the image.
 */
import { corruptImage } from '../errors.ts';
import { gainMapItems, TONE_MAP } from './avif-gain-map.ts';
import {
  type Association,
  type Extent,
  type Item,
  type ItemMeta,
  parseMeta,
  propertyType,
  serialiseMeta,
} from './avif-items.ts';
import { isProfile, rewriteMovie, trackMetadata } from './avif-tracks.ts';
import { bytesOf, concat, mergeRanges, type Range, Reader, uint16, uint32 } from './bytes.ts';
import { collectUntilDamage } from './damage.ts';
import { type Box, box, boxesOf, bytesOfBox, fullBox, presentBoxes } from './isobmff.ts';
import type { Metadata } from './metadata.ts';
import { Regions } from './regions.ts';
import { editXmp } from './xmp.ts';

const XMP_TYPE = 'application/rdf+xml';
/** References go no deeper: from tone mapping to the base image, to its tiles, to their alpha. */
const MAX_REFERENCE_STEPS = 8;
const MAX_MEDIA_BOXES = 100;
const BOX_HEADER = 8;
const COLR_HEADER = 12;
/** Reference from an auxiliary image (alpha, depth) to its main image. */
const AUXILIARY_REFERENCE = 'auxl';
/** References from descriptions and reduced images to the image: not needed to decode it. */
const NOT_NEEDED: ReadonlySet<string> = new Set(['cdsc', 'thmb', AUXILIARY_REFERENCE]);
/**
 * Geometry that is applied in the order of the properties, behind all descriptive ones (ISO/IEC 23000-22, section
 * 7.3.9).
 */
const TRANSFORMATIONS: ReadonlySet<string> = new Set(['clap', 'irot', 'imir']);
const IMAGE_PROPERTIES: ReadonlySet<string> = new Set([
  'a1lx',
  'a1op',
  'amve',
  'av1C',
  'auxC',
  'cclv',
  'clap',
  'clli',
  'colr',
  'imir',
  'irot',
  'ispe',
  'lsel',
  'mdcv',
  'ndwt',
  'pasp',
  'pixi',
  'reve',
]);

export function read(bytes: Uint8Array): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    const reader = new Reader(bytes, 'avif');
    const meta = parseMeta(reader, metaOf(reader, presentBoxes(reader)));
    const profile = profileOf(meta, meta.primary) ?? profileOf(meta, tileOf(meta));
    if (profile) metadata.icc = profile.slice(COLR_HEADER);
    const otherParts = describersOfOthers(meta);
    for (const item of meta.items) {
      if (otherParts.has(item.id)) continue;
      if (item.type === 'Exif' && !metadata.exif) {
        const data = itemData(reader, meta, item);
        const exif = data.subarray(4 + new Reader(data, 'avif').u32(0));
        if (exif.length > 0) metadata.exif = exif;
      } else if (item.type === 'mime' && item.contentType === XMP_TYPE) metadata.xmp ??= itemData(reader, meta, item);
    }
    const gainMap = gainMapItems(meta);
    if (!gainMap) return;
    metadata.gainMap = { standards: [gainMap.standard] };
    // The map is not returned, so neither is what announces it.
    if (metadata.xmp) metadata.xmp = editXmp(metadata.xmp, { removeReferences: true }) ?? metadata.xmp;
  });
}

function profileOf({ associations }: ItemMeta, item: number | undefined): Uint8Array | undefined {
  const properties = (item !== undefined && associations.get(item)) || [];
  return properties.find(({ property }) => isIcc(property))?.property;
}

/** Returns the first tile of a primary image that is a grid; some phones give only the tiles a profile. */
const tileOf = ({ primary, references }: ItemMeta): number | undefined =>
  references.find(({ type, from }) => type === 'dimg' && from === primary)?.to[0];

/** Returns the items that describe a gain map or another auxiliary image, but not the primary image. */
function describersOfOthers({ primary, references }: ItemMeta): Set<number> {
  const descriptions = references.filter(({ type }) => type === 'cdsc');
  const ofPrimary = new Set(descriptions.filter(({ to }) => to.includes(primary)).map(({ from }) => from));
  return new Set(descriptions.map(({ from }) => from).filter((from) => !ofPrimary.has(from)));
}

/** @throws Failure `corrupt_image` */
export function metaOf(reader: Reader, boxes: readonly Box[]): Box {
  const meta = boxes.find(({ type }) => type === 'meta');
  if (!meta) throw corruptImage(reader.format, 'no meta box');
  return meta;
}

function isIcc(property: Uint8Array): boolean {
  const reader = new Reader(property, 'avif');
  return isProfile(reader, boxesOf(reader, 0, property.length)[0]!);
}

export function itemData(reader: Reader, { idat }: ItemMeta, { source, extents }: Item): Uint8Array {
  const origin = source === 'file' ? reader : new Reader(idat, reader.format);
  const length = extents.reduce((sum, extent) => sum + extent.length, 0);
  // Extents may overlap, so a small file could ask for more than memory holds.
  if (length > origin.length) throw corruptImage(reader.format, `an item of ${length} bytes`);
  return concat(extents.map(({ offset, length }) => origin.slice(offset, length)));
}

/**
 * Replaces all metadata; AVIF holds no IPTC and no density. Lays out a new file from the items that the primary image
 * needs, without thumbnails and further images. In an image sequence the tracks keep their own profiles when a profile
 * is given, and lose them otherwise.
 * @throws Failure `corrupt_image`
 */
export function write(bytes: Uint8Array, { icc, exif, xmp }: Metadata): Uint8Array {
  const reader = new Reader(bytes, 'avif');
  const boxes = boxesOf(reader, 0, bytes.length);
  if (boxes.some(({ type }) => type === 'moof')) throw corruptImage('avif', 'a fragmented movie');
  const source = parseMeta(reader, metaOf(reader, boxes));
  const movie = boxes.find(({ type }) => type === 'moov');
  const fileType = boxes.find(({ type }) => type === 'ftyp');
  const items = imageItems(source);

  const coded = codedData(reader, boxes, source, items, movie);
  const regions = new Regions(bytes, coded, 'avif');
  const inMeta = new Regions(source.idat, items.filter(({ source }) => source === 'idat').flatMap(rangesOf), 'avif');
  const idat = new Uint8Array(inMeta.length);
  inMeta.copyTo(idat, 0);
  const added = [
    ...(exif ? [{ type: 'Exif', names: '\0', data: concat([uint32(0), exif]) }] : []),
    ...(xmp ? [{ type: 'mime', names: `\0${XMP_TYPE}\0`, data: xmp }] : []),
  ];
  const data = concat([new Uint8Array(regions.length), ...added.map((item) => item.data)]);
  regions.copyTo(data, 0);

  /**
   * Serialises everything in front of the coded data, which starts at `dataAt`. The length does not depend on `dataAt`.
   */
  const head = (dataAt: number) => {
    const moved = (offset: number) => dataAt + regions.locate(offset);
    const kept = items.map((item) => ({
      ...item,
      extents: item.extents.map(({ offset, length }) => ({
        offset: item.source === 'file' ? moved(offset) : inMeta.locate(offset),
        length,
      })),
    }));
    const described = withMetadata({ ...source, items: kept, idat }, added, dataAt + regions.length);
    const meta = serialiseMeta({ ...described, associations: propertiesOf(source, items, icc) });
    const tracks = movie ? rewriteMovie(reader, movie, { keepProfiles: icc !== undefined, moved }) : new Uint8Array(0);
    return concat([fileType ? bytesOfBox(reader, fileType) : new Uint8Array(0), meta, tracks]);
  };
  const dataAt = head(0).length + BOX_HEADER;
  return concat([head(dataAt), ...(data.length > 0 ? [box('mdat', data)] : [])]);
}

/** Returns the items needed to decode the primary item. @throws Failure `corrupt_image` when it is missing */
function imageItems({ primary, items, references }: ItemMeta): Item[] {
  const needed = new Set([primary, ...items.filter(({ type }) => type === TONE_MAP).map(({ id }) => id)]);
  for (let step = 0; step < MAX_REFERENCE_STEPS; step += 1) {
    for (const { type, from, to } of references) {
      if (needed.has(from) && !NOT_NEEDED.has(type)) for (const id of to) needed.add(id);
      if (type === AUXILIARY_REFERENCE && to.some((id) => needed.has(id))) needed.add(from);
    }
  }
  const kept = items.filter(({ id }) => needed.has(id));
  if (!kept.some(({ id }) => id === primary)) throw corruptImage('avif', 'no primary item');
  return kept;
}

function rangesOf({ extents }: { extents: readonly Extent[] }): Range[] {
  return extents.map(({ offset, length }) => {
    // Length 0 means the rest of the file, which is known only for the old file.
    if (length === 0) throw corruptImage('avif', 'an extent without a length');
    return { start: offset, end: offset + length };
  });
}

/**
 * Returns the ranges of the coded data. For a still image these are the extents of its items. A sequence stores its
 * frames in sample tables, so all media data are kept but the extents of metadata.
 */
function codedData(
  reader: Reader,
  boxes: readonly Box[],
  { items }: ItemMeta,
  kept: readonly Item[],
  movie?: Box,
): Range[] {
  const inFile = (wanted: readonly Item[]) => wanted.filter(({ source }) => source === 'file').flatMap(rangesOf);
  if (!movie) return inFile(kept);
  const keptItems = new Set(kept);
  const dropped = [...inFile(items.filter((item) => !keptItems.has(item))), ...trackMetadata(reader, movie)];
  const media = boxes.filter(({ type }) => type === 'mdat');
  if (media.length > MAX_MEDIA_BOXES) throw corruptImage(reader.format, `${media.length} mdat boxes`);
  return media.flatMap(({ contentStart, end }) => without({ start: contentStart, end }, mergeRanges(dropped)));
}

/** Subtracts other ranges, sorted and without overlaps, from a range. */
function without({ start, end }: Range, removed: readonly Range[]): Range[] {
  const left: Range[] = [];
  let at = start;
  for (const hole of removed.filter((range) => range.start < end && range.end > start)) {
    if (hole.start > at) left.push({ start: at, end: hole.start });
    at = hole.end;
  }
  return at < end ? [...left, { start: at, end }] : left;
}

/** Adds an item, and a reference to the primary item, for each block of metadata. */
function withMetadata(
  meta: ItemMeta,
  added: readonly { type: string; names: string; data: Uint8Array }[],
  addedAt: number,
): ItemMeta {
  const ids = new Set(meta.items.map(({ id }) => id));
  const references = meta.references
    .filter(({ from }) => ids.has(from))
    .map(({ type, from, to }) => ({ type, from, to: to.filter((id) => ids.has(id)) }))
    .filter(({ to }) => to.length > 0);
  const items = [...meta.items];
  const taken = new Set([...ids, ...meta.groupIds]);
  let offset = addedAt;
  let id = 1;
  for (const { type, names, data } of added) {
    while (taken.has(id)) id += 1;
    taken.add(id);
    const entry = fullBox('infe', 2, 0, uint16(id), uint16(0), bytesOf(type + names));
    items.push({ id, type, contentType: '', entry, source: 'file', extents: [{ offset, length: data.length }] });
    references.push({ type: 'cdsc', from: id, to: [meta.primary] });
    offset += data.length;
  }
  return { ...meta, items, references };
}

/**
 * Keeps the properties that decoding needs. The new profile goes on the primary item and on those that shared its old
 * profile. Without a new profile no item keeps one.
 */
function propertiesOf(
  { primary, associations }: ItemMeta,
  items: readonly Item[],
  icc: Uint8Array | undefined,
): ItemMeta['associations'] {
  const old = associations.get(primary)?.find(({ property }) => isIcc(property))?.property;
  const profile = icc && { property: box('colr', bytesOf('prof'), icc), essential: false };
  return new Map(
    items.map(({ id }) => {
      const properties = associations.get(id) ?? [];
      const kept = properties.filter(({ property, essential }) => {
        // A reader must refuse unknown essential properties, so they cannot be left out.
        if (!essential && !IMAGE_PROPERTIES.has(propertyType(property))) return false;
        return !isIcc(property) || (icc !== undefined && property !== old && id !== primary);
      });
      const takesProfile = id === primary || (old !== undefined && properties.some(({ property }) => property === old));
      return [id, profile && takesProfile ? withProfile(kept, profile) : kept];
    }),
  );
}

function withProfile(properties: readonly Association[], profile: Association): Association[] {
  const first = properties.findIndex(({ property }) => TRANSFORMATIONS.has(propertyType(property)));
  const at = first === -1 ? properties.length : first;
  return [...properties.slice(0, at), profile, ...properties.slice(at)];
}
