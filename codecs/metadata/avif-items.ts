/**
 * Parses and serialises the `meta` box, the items of a HEIF file (ISO/IEC 14496-12, section 8.11; ISO/IEC 23008-12).
 */
import { corruptImage } from '../errors.ts';
import { bytesOf, concat, Reader, uint16, uint32 } from './bytes.ts';
import { type Box, box, boxesOf, bytesOfBox, contentOf, fullBox, readerOf } from './isobmff.ts';

/** A range of an item's data. */
export interface Extent {
  offset: number;
  length: number;
}

export interface Item {
  id: number;
  /** Four letters: `av01`, `grid`, `Exif`, `mime` ... */
  type: string;
  /** Empty unless the type is `mime`. */
  contentType: string;
  /** The unchanged `infe` box of the item. */
  entry: Uint8Array;
  /** Whether the extents count from the start of the file or of the `idat` box. */
  source: 'file' | 'idat';
  extents: Extent[];
}

export interface Reference {
  type: string;
  from: number;
  to: number[];
}

/** A property of an item: its `ipco` box. */
export interface Association {
  property: Uint8Array;
  essential: boolean;
}

export interface ItemMeta {
  primary: number;
  items: Item[];
  references: Reference[];
  associations: Map<number, Association[]>;
  idat: Uint8Array;
  /** The unchanged `grpl` box; empty when there is none. */
  groups: Uint8Array;
  /** Identifiers that the groups use: their own, which no item may have, and those of their items. */
  groupIds: Set<number>;
}

const MAX_UINT16 = 0xffff;
const MAX_ITEMS = 10_000;
/** More properties need indices of two bytes. */
const MAX_SHORT_INDEX = 0x7f;

/** The count is one byte, and one profile may be added. */
const MAX_ASSOCIATIONS = 254;
const ESSENTIAL = 0x8000;
const SHORT_ESSENTIAL = 0x80;

const NO_BYTES = new Uint8Array(0);

/** Returns the four-letter type of a property box. */
export const propertyType = (property: Uint8Array): string => new Reader(property, 'avif').text(4, 4);

/** @throws Failure `corrupt_image` */
export function parseMeta(reader: Reader, meta: Box): ItemMeta {
  const boxes = boxesOf(reader, meta.contentStart + 4, meta.end);
  const find = (type: string) => boxes.find((found) => found.type === type);
  const need = (type: string) => {
    const found = find(type);
    if (!found) throw corruptImage(reader.format, `no ${type} box`);
    return found;
  };
  const [idat, groups, iref] = ['idat', 'grpl', 'iref'].map(find);
  const pitm = need('pitm').contentStart;
  const items = parseItems(reader, need('iinf'), parseLocations(reader, need('iloc')));
  return {
    primary: reader.u8(pitm) === 0 ? reader.u16(pitm + 4) : reader.u32(pitm + 4),
    items,
    groupIds: groups ? groupIdsOf(reader, groups) : new Set(),
    references: iref ? parseReferences(reader, iref) : [],
    associations: parseProperties(reader, need('iprp')),
    idat: idat ? contentOf(reader, idat) : NO_BYTES,
    groups: groups ? bytesOfBox(reader, groups) : NO_BYTES,
  };
}

/**
 * Collects the identifiers of groups. Each group is an identifier, a count and item identifiers; taking a count for an
 * identifier does no harm.
 */
function groupIdsOf(file: Reader, groups: Box): Set<number> {
  const ids = new Set<number>();
  for (const group of boxesOf(file, groups.contentStart, groups.end)) {
    const reader = readerOf(file, group);
    for (let at = 4; at + 4 <= reader.length; at += 4) ids.add(reader.u32(at));
  }
  return ids;
}

type Location = Pick<Item, 'source' | 'extents'>;

/** @throws Failure `corrupt_image`, also for data in other files or inside other items */
export function parseLocations(file: Reader, iloc: Box): Map<number, Location> {
  const reader = readerOf(file, iloc);
  const version = reader.u8(0);
  const sizes = reader.u16(4);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  let at = 6;
  const next = (size: number) => {
    const value = size === 8 ? reader.u64(at) : size === 4 ? reader.u32(at) : size === 2 ? reader.u16(at) : 0;
    at += size;
    return value;
  };
  const idSize = version < 2 ? 2 : 4;
  const count = next(idSize);
  const locations = new Map<number, Location>();
  for (let item = 0; item < count; item += 1) {
    const id = next(idSize);
    const method = version === 0 ? 0 : next(2) & 15;
    const dataReference = next(2);
    if (method > 1 || dataReference !== 0) throw corruptImage(reader.format, `item data by method ${method}`);
    const base = next(baseSize);
    const extentCount = next(2);
    // Without lengths, the number of extents would not be bounded by the file size.
    if (extentCount > 1 && lengthSize === 0) throw corruptImage(reader.format, 'extents without lengths');
    const extents = Array.from({ length: extentCount }, () => {
      next(indexSize);
      const offset = base + next(offsetSize);
      return { offset, length: next(lengthSize) };
    });
    locations.set(id, { source: method === 0 ? 'file' : 'idat', extents });
  }
  return locations;
}

function parseItems(reader: Reader, { contentStart, end }: Box, locations: Map<number, Location>): Item[] {
  const countSize = reader.u8(contentStart) === 0 ? 2 : 4;
  const entries = boxesOf(reader, contentStart + 4 + countSize, end);
  if (entries.length > MAX_ITEMS) throw corruptImage(reader.format, `${entries.length} items`);
  return entries.flatMap((entry) => {
    const version = reader.u8(entry.contentStart);
    // Versions 0 and 1 have no type, and HEIF does not use them.
    if (entry.type !== 'infe' || version < 2) return [];
    const idSize = version === 2 ? 2 : 4;
    const idAt = entry.contentStart + 4;
    const id = idSize === 2 ? reader.u16(idAt) : reader.u32(idAt);
    const type = reader.text(idAt + idSize + 2, 4);
    const namesAt = idAt + idSize + 6;
    const [, contentType = ''] = reader.text(namesAt, entry.end - namesAt).split('\0');
    const location = locations.get(id) ?? { source: 'file', extents: [] };
    return [{ id, type, contentType, entry: bytesOfBox(reader, entry), ...location }];
  });
}

function parseReferences(file: Reader, { contentStart, end }: Box): Reference[] {
  const idSize = file.u8(contentStart) === 0 ? 2 : 4;
  return boxesOf(file, contentStart + 4, end).map((found) => {
    const reader = readerOf(file, found);
    const id = (at: number) => (idSize === 2 ? reader.u16(at) : reader.u32(at));
    const count = reader.u16(idSize);
    const to = Array.from({ length: count }, (_, index) => id(idSize + 2 + index * idSize));
    return { type: found.type, from: id(0), to };
  });
}

function parseProperties(file: Reader, { contentStart, end }: Box): ItemMeta['associations'] {
  const boxes = boxesOf(file, contentStart, end);
  const properties = boxes
    .filter(({ type }) => type === 'ipco')
    .flatMap((container) => boxesOf(file, container.contentStart, container.end))
    .map((property) => bytesOfBox(file, property));
  const associations: ItemMeta['associations'] = new Map();
  for (const found of boxes) {
    if (found.type !== 'ipma') continue;
    for (const { id, indices } of associationsOf(readerOf(file, found))) {
      const described = associations.get(id) ?? [];
      for (const index of indices) {
        const property = properties[(index & ~ESSENTIAL) - 1];
        if (property) described.push({ property, essential: (index & ESSENTIAL) !== 0 });
      }
      if (described.length > MAX_ASSOCIATIONS) throw corruptImage(file.format, `${described.length} properties`);
      associations.set(id, described);
    }
  }
  return associations;
}

/**
 * Yields items with the indices of their properties, counted from 1. The top one of 16 bits marks essential properties.
 */
function* associationsOf(reader: Reader): Generator<{ id: number; indices: number[] }> {
  const idSize = reader.u8(0) === 0 ? 2 : 4;
  const indexSize = reader.u24(1) & 1 ? 2 : 1;
  const count = reader.u32(4);
  let at = 8;
  for (let item = 0; item < count; item += 1) {
    const id = idSize === 2 ? reader.u16(at) : reader.u32(at);
    const indices = Array.from({ length: reader.u8(at + idSize) }, (_, index) => {
      const indexAt = at + idSize + 1 + index * indexSize;
      if (indexSize === 2) return reader.u16(indexAt);
      const short = reader.u8(indexAt);
      return (short & SHORT_ESSENTIAL ? ESSENTIAL : 0) + (short & ~SHORT_ESSENTIAL);
    });
    yield { id, indices };
    at += idSize + 1 + indices.length * indexSize;
  }
}

/** Serialises the `meta` box. Extents of items in the file must be offsets in the file that it becomes part of. */
export function serialiseMeta({ primary, items, references, associations, idat, groups }: ItemMeta): Uint8Array {
  const wide = items.some(({ id }) => id > MAX_UINT16);
  const id = (value: number) => (wide ? uint32(value) : uint16(value));
  const handler = fullBox('hdlr', 0, 0, uint32(0), bytesOf('pict'), new Uint8Array(13));
  return fullBox(
    'meta',
    0,
    0,
    handler,
    fullBox('pitm', wide ? 1 : 0, 0, id(primary)),
    serialiseLocations(items, wide),
    fullBox('iinf', 0, 0, uint16(items.length), ...items.map(({ entry }) => entry)),
    ...(references.length > 0
      ? [fullBox('iref', wide ? 1 : 0, 0, ...references.map((one) => serialiseReference(one, id)))]
      : []),
    serialiseProperties(items, associations, id, wide),
    ...(idat.length > 0 ? [box('idat', idat)] : []),
    groups,
  );
}

const serialiseReference = ({ type, from, to }: Reference, id: (value: number) => Uint8Array): Uint8Array =>
  box(type, id(from), uint16(to.length), ...to.map(id));

/** Offsets and lengths of four bytes, no base and no index. */
const LOCATION_SIZES = 0x4400;

function serialiseLocations(items: readonly Item[], wide: boolean): Uint8Array {
  const version = wide ? 2 : items.some(({ source }) => source === 'idat') ? 1 : 0;
  const id = (value: number) => (version === 2 ? uint32(value) : uint16(value));
  const entries = items.map(({ id: item, source, extents }) =>
    concat([
      id(item),
      ...(version === 0 ? [] : [uint16(source === 'idat' ? 1 : 0)]),
      uint16(0),
      uint16(extents.length),
      ...extents.flatMap(({ offset, length }) => [uint32(offset), uint32(length)]),
    ]),
  );
  return fullBox('iloc', version, 0, uint16(LOCATION_SIZES), id(items.length), ...entries);
}

function serialiseProperties(
  items: readonly Item[],
  associations: ItemMeta['associations'],
  id: (value: number) => Uint8Array,
  wide: boolean,
): Uint8Array {
  const described = items.map((item) => ({ item, properties: associations.get(item.id) ?? [] }));
  const distinct = new Set(described.flatMap(({ properties }) => properties.map(({ property }) => property)));
  const indices = new Map([...distinct].map((property, index) => [property, index + 1]));
  const long = distinct.size > MAX_SHORT_INDEX;

  const entries = described
    .filter(({ properties }) => properties.length > 0)
    .map(({ item, properties }) => {
      const encoded = properties.map(({ property, essential }) => {
        const index = indices.get(property)!;
        if (long) return uint16(index + (essential ? ESSENTIAL : 0));
        return Uint8Array.of(index + (essential ? SHORT_ESSENTIAL : 0));
      });
      return concat([id(item.id), Uint8Array.of(properties.length), ...encoded]);
    });
  const map = fullBox('ipma', wide ? 1 : 0, long ? 1 : 0, uint32(entries.length), ...entries);
  return box('iprp', box('ipco', ...distinct), map);
}
