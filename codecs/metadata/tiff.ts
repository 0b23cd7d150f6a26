/**
 * Metadata of TIFF and BigTIFF files. Writing lays out a new file from the tags and data that decoding needs, so that
 * no removed data stay behind in gaps.
 */
import { corruptImage } from '../errors.ts';
import { concat, type Range } from './bytes.ts';
import { collectUntilDamage, tryParse } from './damage.ts';
import {
  type Directory,
  type Field,
  fieldOf,
  headerOf,
  headerSize,
  type Layout,
  longs,
  type Node,
  numbersOf,
  openTiff,
  readChain,
  readDirectory,
  serialise,
  type TiffStream,
  TYPE,
  toValue,
  type Value,
} from './directory.ts';
import { densityOf, resolutionValues } from './exif.ts';
import { exifForTiff, exifOfTiff } from './exif-tree.ts';
import { bareIptc, iptcOfResources } from './iptc.ts';
import type { Metadata } from './metadata.ts';
import { Regions } from './regions.ts';
import { TAG } from './tags.ts';

/** Tags needed to decode a page (TIFF 6.0 and supplements, libtiff's tags, LERC). */
const IMAGE_TAGS: ReadonlySet<number> = new Set([
  254, 255, 256, 257, 258, 259, 262, 263, 266, 273, 277, 278, 279, 280, 281, 284, 290, 291, 292, 293, 297, 301, 317,
  318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 332, 333, 334, 336, 338, 339, 340, 341, 342, 346, 347, 433,
  434, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531, 532, 559, 32995, 32996, 32997, 32998, 37439, 50674,
]);

/** Tags that hold the offsets of coded data, and the tags with their lengths. */
const CODED_DATA = [
  { offsets: TAG.stripOffsets, lengths: TAG.stripByteCounts },
  { offsets: TAG.tileOffsets, lengths: TAG.tileByteCounts },
  { offsets: TAG.jpegInterchangeFormat, lengths: TAG.jpegInterchangeFormatLength },
] as const;
/** Offsets of the tables of old-style JPEG, whose lengths follow from their content (TIFF 6.0, section 22). */
const QUANTISATION_TABLE_BYTES = 64;
const HUFFMAN_COUNTS = 16;
const TABLE_TAGS: readonly number[] = [TAG.jpegQTables, TAG.jpegDcTables, TAG.jpegAcTables];
const OFFSET_TAGS: ReadonlySet<number> = new Set([...CODED_DATA.map(({ offsets }) => offsets), ...TABLE_TAGS]);

const RESOLUTION_TAGS: readonly number[] = [TAG.xResolution, TAG.yResolution, TAG.resolutionUnit];
const MAX_SUB_LEVELS = 4;
/** Coded data start at even offsets (TIFF 6.0, section 2). */
const ALIGNMENT = 2;

export function read(bytes: Uint8Array): Metadata {
  const stream = tryParse(() => openTiff(bytes, 'tiff'));
  return stream ? readStream(stream) : {};
}

/** Reads the metadata of a page of an open stream, the first by default. Never throws. */
export function readStream(stream: TiffStream, page?: Directory): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    const first = page ?? readDirectory(stream, stream.first);
    const block = (tag: number) => {
      const field = fieldOf(first, tag);
      return field && field.length > 0 ? stream.reader.slice(field.at, field.length).slice() : undefined;
    };
    const exif = exifOfTiff(stream, first);
    if (exif) metadata.exif = exif;
    const [icc, xmp, iptc, resources] = [TAG.icc, TAG.xmp, TAG.iptc, TAG.photoshop].map(block);
    if (icc) metadata.icc = icc;
    if (xmp) metadata.xmp = xmp;
    const records = (iptc && bareIptc(iptc)) ?? (resources && iptcOfResources(resources));
    if (records) metadata.iptc = records;
    const density = densityOf(stream, first);
    if (density) metadata.density = density;
  });
}

/**
 * Replaces all metadata. The first page takes the EXIF with its orientation. Later pages keep their orientation; they
 * keep their profile and resolution only when the file gets new ones.
 * @throws Failure `corrupt_image`, also when a page does not declare the length of its coded data
 */
export function write(bytes: Uint8Array, metadata: Metadata): Uint8Array {
  const stream = openTiff(bytes, 'tiff');
  const later = [TAG.orientation, ...(metadata.icc ? [TAG.icc] : []), ...(metadata.density ? RESOLUTION_TAGS : [])];
  const pages = readChain(stream, stream.first).map((directory, index) =>
    index === 0 ? { directory, kept: [], metadata } : { directory, kept: later, metadata: {} },
  );
  if (pages.length === 0) throw corruptImage('tiff', 'no page');
  return layOut([{ bytes, stream, pages }], stream);
}

/** Pages of one file. */
export interface FilePages {
  bytes: Uint8Array;
  stream: TiffStream;
  pages: {
    directory: Directory;
    /** Tags that are kept besides those that decoding needs. */
    kept: readonly number[];
    metadata: Metadata;
    /** Values that replace those of the page. */
    values?: readonly Value[];
  }[];
}

/**
 * Writes a file with these pages, in order: only the tags and data that decoding needs, and the given metadata.
 * @throws Failure `corrupt_image`, also when a page does not declare the length of its coded data
 */
export function layOut(files: readonly FilePages[], layout: Layout): Uint8Array {
  let end = headerSize(layout);
  const placed = files.map(({ bytes, stream, pages }) => {
    const read = pages.map((page) => ({ ...page, page: readPage(stream, page.directory, new Set(), 0) }));
    const ranges = read.flatMap(({ page }) => dataOf(stream, page));
    const regions = new Regions(bytes, ranges, 'tiff', ALIGNMENT);
    const dataAt = end;
    end += regions.length;
    return { stream, read, regions, dataAt };
  });
  const nodes = placed.flatMap(({ stream, read, regions, dataAt }) => {
    const moved = (offset: number) => (offset === 0 ? 0 : dataAt + regions.locate(offset));
    return read.map(({ page, kept, metadata, values = [] }) => {
      const node = withMetadata(pageNode(stream, page, { kept, moved, layout }), metadata, layout);
      const replaced = node.values.filter(({ tag }) => !values.some((value) => value.tag === tag));
      return { ...node, values: [...replaced, ...values] };
    });
  });
  const directories = serialise(nodes, end, layout);
  const file = concat([headerOf(layout, end), new Uint8Array(end - headerSize(layout)), directories]);
  for (const { regions, dataAt } of placed) regions.copyTo(file, dataAt);
  return file;
}

/** A page, or a reduced version that a page points at. */
interface Page {
  directory: Directory;
  reduced: Page[];
}

function readPage(stream: TiffStream, directory: Directory, seen: Set<number>, level: number): Page {
  const field = fieldOf(directory, TAG.subIfds);
  const offsets = field ? numbersOf(stream, field) : [];
  if (level > MAX_SUB_LEVELS) throw corruptImage('tiff', 'nested directories');
  const reduced = offsets.map((at) => {
    if (seen.has(at)) throw corruptImage('tiff', 'directories in a circle');
    seen.add(at);
    return readPage(stream, readDirectory(stream, at), seen, level + 1);
  });
  return { directory, reduced };
}

/** Returns the ranges of the coded data of a page and its reduced versions. */
function dataOf(stream: TiffStream, { directory, reduced }: Page): Range[] {
  const coded = CODED_DATA.flatMap(({ offsets, lengths }) => {
    const offsetField = fieldOf(directory, offsets);
    if (!offsetField) return [];
    const lengthField = fieldOf(directory, lengths);
    const sizes = lengthField ? numbersOf(stream, lengthField) : [];
    return numbersOf(stream, offsetField).flatMap((start, index) => {
      const size = sizes[index];
      if (size === undefined) throw corruptImage('tiff', `no length for the data at ${start}`);
      // Offset and length 0 mark a tile that was never written.
      return start === 0 ? [] : [{ start, end: Math.min(start + size, stream.reader.length) }];
    });
  });
  const tables = TABLE_TAGS.flatMap((tag) => {
    const field = fieldOf(directory, tag);
    return (field ? numbersOf(stream, field) : []).map((start) => ({
      start,
      end: start + tableLength(stream, tag, start),
    }));
  });
  return [...coded, ...tables, ...reduced.flatMap((page) => dataOf(stream, page))];
}

function tableLength({ reader }: TiffStream, tag: number, at: number): number {
  if (tag === TAG.jpegQTables) return QUANTISATION_TABLE_BYTES;
  return reader.slice(at, HUFFMAN_COUNTS).reduce((sum, count) => sum + count, HUFFMAN_COUNTS);
}

interface PageTarget {
  kept: readonly number[];
  /** Returns the new position of coded data. */
  moved: (offset: number) => number;
  layout: Layout;
}

function pageNode(stream: TiffStream, page: Page, target: PageTarget): Node {
  const { kept, layout } = target;
  const values = page.directory.fields
    .filter(({ tag, length }) => (IMAGE_TAGS.has(tag) || kept.includes(tag)) && length > 0)
    .map((field) =>
      OFFSET_TAGS.has(field.tag) ? movedOffsets(stream, field, target) : toValue(stream, field, layout),
    );
  const nodes = page.reduced.map((reduced) => pageNode(stream, reduced, target));
  return { values, children: nodes.length > 0 ? [{ tag: TAG.subIfds, nodes }] : [] };
}

/** Moves offsets. Those of 16 bits become 32 bits wide because the data may have moved further away. */
function movedOffsets(stream: TiffStream, field: Field, { moved, layout }: PageTarget): Value {
  const type = field.type === TYPE.long8 ? TYPE.long8 : TYPE.long;
  return longs(field.tag, numbersOf(stream, field).map(moved), layout.littleEndian, type);
}

/** Adds metadata to a page. */
function withMetadata(page: Node, { exif, icc, xmp, iptc, density }: Metadata, layout: Layout): Node {
  const described = exif ? exifForTiff(exif, layout) : { values: [], children: [] };
  return {
    values: [
      ...page.values,
      ...described.values.filter(({ tag }) => !(density && RESOLUTION_TAGS.includes(tag))),
      ...(density ? resolutionValues(density, layout.littleEndian) : []),
      ...(icc ? [block(TAG.icc, TYPE.undefined, icc)] : []),
      ...(xmp ? [block(TAG.xmp, TYPE.byte, xmp)] : []),
      ...(iptc ? [iptcValue(iptc)] : []),
    ],
    children: [...page.children, ...described.children],
  };
}

const block = (tag: number, type: number, data: Uint8Array): Value => ({ tag, type, count: data.length, data });

/** libtiff and Photoshop store the records as an array of LONG whose bytes are not swapped. */
function iptcValue(iptc: Uint8Array): Value {
  const data = new Uint8Array(Math.ceil(iptc.length / 4) * 4);
  data.set(iptc);
  return { tag: TAG.iptc, type: TYPE.long, count: data.length / 4, data };
}
