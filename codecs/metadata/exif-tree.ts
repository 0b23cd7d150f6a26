/** EXIF between its own stream and the directories of a TIFF file, where it is spread over the first page. */
import { concat } from './bytes.ts';
import { attempt } from './damage.ts';
import {
  type Directory,
  headerOf,
  headerSize,
  type Layout,
  type Node,
  numberOf,
  openTiff,
  readDirectory,
  serialise,
  type TiffStream,
  TYPE,
  toValue,
  type Value,
} from './directory.ts';
import { DESCRIPTIVE_TAGS, TAG } from './tags.ts';

/** Directories that EXIF knows, by the tag that points at them and the directory that holds it. */
const CHILDREN: Readonly<Record<number, readonly number[]>> = {
  [TAG.exifIfd]: [TAG.interoperabilityIfd],
  [TAG.gpsIfd]: [],
  [TAG.interoperabilityIfd]: [],
};
const FIRST_CHILDREN = [TAG.exifIfd, TAG.gpsIfd];
/** BigTIFF's own types come after the types of EXIF. */
const LAST_CLASSIC_TYPE = TYPE.ifd;
/** What every TIFF file records and what makes no EXIF worth having by itself. */
const PLAIN: ReadonlySet<number> = new Set([TAG.xResolution, TAG.yResolution, TAG.resolutionUnit]);
const UPRIGHT = 1;

/**
 * The descriptive tags of a first directory with the directories below it. What is damaged is left out. Offsets inside
 * maker notes become wrong, as with every program that rewrites a TIFF file.
 */
export function exifNode(stream: TiffStream, directory: Directory, target: Layout): Node {
  return {
    values: valuesOf(stream, directory, target, (tag) => DESCRIPTIVE_TAGS.includes(tag)),
    children: childrenOf(stream, directory, target, FIRST_CHILDREN),
  };
}

function valuesOf(
  stream: TiffStream,
  { fields }: Directory,
  target: Layout,
  wanted: (tag: number) => boolean,
): Value[] {
  return fields
    .filter(({ tag, type, length }) => wanted(tag) && length > 0 && type <= LAST_CLASSIC_TYPE)
    .flatMap((field) => attempt(() => toValue(stream, field, target)) ?? []);
}

function childrenOf(
  stream: TiffStream,
  directory: Directory,
  target: Layout,
  tags: readonly number[],
): Node['children'] {
  return tags.flatMap((tag) => {
    const child = attempt(() => {
      const at = numberOf(stream, directory, tag);
      return at ? readDirectory(stream, at) : undefined;
    });
    if (!child) return [];
    const values = valuesOf(stream, child, target, (name) => !(name in CHILDREN));
    return [{ tag, nodes: [{ values, children: childrenOf(stream, child, target, CHILDREN[tag] ?? []) }] }];
  });
}

/** The EXIF of a TIFF file as a stream of its own; undefined when the file tells nothing but its resolution. */
export function exifOfTiff(stream: TiffStream, first: Directory): Uint8Array | undefined {
  const layout = { littleEndian: stream.littleEndian, big: false };
  const node = exifNode(stream, first, layout);
  const upright = (numberOf(stream, first, TAG.orientation) ?? UPRIGHT) === UPRIGHT;
  const telling = node.values.some(({ tag }) => !PLAIN.has(tag) && !(tag === TAG.orientation && upright));
  if (!telling && node.children.length === 0) return undefined;
  const start = headerSize(layout);
  return concat([headerOf(layout, start), serialise([node], start, layout)]);
}

/** A directory in the stream that it belongs to. */
export interface Placed {
  stream: TiffStream;
  directory: Directory;
}

/** One EXIF stream from directories that a camera keeps in streams of their own. */
export function exifOfParts({ main, exif, gps }: { main: Placed; exif?: Placed; gps?: Placed }): Uint8Array {
  const layout = { littleEndian: main.stream.littleEndian, big: false };
  const child = (tag: number, part: Placed | undefined): Node['children'] => {
    if (!part) return [];
    const values = valuesOf(part.stream, part.directory, layout, (name) => !(name in CHILDREN));
    return [{ tag, nodes: [{ values, children: [] }] }];
  };
  const values = valuesOf(main.stream, main.directory, layout, (tag) => DESCRIPTIVE_TAGS.includes(tag));
  const node = { values, children: [...child(TAG.exifIfd, exif), ...child(TAG.gpsIfd, gps)] };
  const start = headerSize(layout);
  return concat([headerOf(layout, start), serialise([node], start, layout)]);
}

/** An EXIF stream as tags for the first directory of a TIFF file; nothing when it cannot be read. */
export function exifForTiff(exif: Uint8Array, target: Layout): Node {
  const node = attempt(() => {
    const stream = openTiff(exif, 'EXIF');
    return exifNode(stream, readDirectory(stream, stream.first), target);
  });
  return node ?? { values: [], children: [] };
}
