/** Converts between an EXIF stream and the directories of a TIFF file, whose first page holds the EXIF tags. */
import { concat } from './bytes.ts';
import { tryParse } from './damage.ts';
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

/** Directories that EXIF defines: the tag that points at each, with the tags of the directories inside it. */
const CHILDREN: Readonly<Record<number, readonly number[]>> = {
  [TAG.exifIfd]: [TAG.interoperabilityIfd],
  [TAG.gpsIfd]: [],
  [TAG.interoperabilityIfd]: [],
};
const FIRST_CHILDREN = [TAG.exifIfd, TAG.gpsIfd];
/** BigTIFF's own types have higher numbers than those of EXIF. */
const LAST_CLASSIC_TYPE = TYPE.ifd;
/** Tags that every TIFF file has; alone they do not justify an EXIF block. */
const RESOLUTION_ONLY_TAGS: ReadonlySet<number> = new Set([TAG.xResolution, TAG.yResolution, TAG.resolutionUnit]);
const UPRIGHT = 1;

/**
 * Returns the descriptive tags of a first directory and the directories below it, without damaged ones. Offsets inside
 * maker notes become wrong, as with every program that rewrites a TIFF file.
 */
export const exifNode = (stream: TiffStream, directory: Directory, target: Layout): Node => ({
  values: valuesOf(stream, directory, target, (tag) => DESCRIPTIVE_TAGS.includes(tag)),
  children: childrenOf(stream, directory, target, FIRST_CHILDREN),
});

function valuesOf(
  stream: TiffStream,
  { fields }: Directory,
  target: Layout,
  wanted: (tag: number) => boolean,
): Value[] {
  return fields
    .filter(({ tag, type, length }) => wanted(tag) && length > 0 && type <= LAST_CLASSIC_TYPE)
    .flatMap((field) => tryParse(() => toValue(stream, field, target)) ?? []);
}

function childrenOf(
  stream: TiffStream,
  directory: Directory,
  target: Layout,
  tags: readonly number[],
): Node['children'] {
  return tags.flatMap((tag) => {
    const child = tryParse(() => {
      const at = numberOf(stream, directory, tag);
      return at ? readDirectory(stream, at) : undefined;
    });
    if (!child) return [];
    const values = valuesOf(stream, child, target, (name) => !(name in CHILDREN));
    return [{ tag, nodes: [{ values, children: childrenOf(stream, child, target, CHILDREN[tag] ?? []) }] }];
  });
}

/** Extracts the EXIF of a TIFF file as a stream, or undefined when the file records nothing but its resolution. */
export function exifOfTiff(stream: TiffStream, first: Directory): Uint8Array | undefined {
  const layout = { littleEndian: stream.littleEndian, big: false };
  const node = exifNode(stream, first, layout);
  const upright = (numberOf(stream, first, TAG.orientation) ?? UPRIGHT) === UPRIGHT;
  const telling = node.values.some(
    ({ tag }) => !RESOLUTION_ONLY_TAGS.has(tag) && !(tag === TAG.orientation && upright),
  );
  if (!telling && node.children.length === 0) return undefined;
  const start = headerSize(layout);
  return concat([headerOf(layout, start), serialise([node], start, layout)]);
}

/** A directory and the stream that it belongs to. */
export interface DirectoryInStream {
  stream: TiffStream;
  directory: Directory;
}

/** Joins directories that a camera stores in separate streams into one EXIF stream. */
export function exifOfParts({
  main,
  exif,
  gps,
}: {
  main: DirectoryInStream;
  exif?: DirectoryInStream;
  gps?: DirectoryInStream;
}): Uint8Array {
  const layout = { littleEndian: main.stream.littleEndian, big: false };
  const child = (tag: number, part: DirectoryInStream | undefined): Node['children'] => {
    if (!part) return [];
    const values = valuesOf(part.stream, part.directory, layout, (name) => !(name in CHILDREN));
    return [{ tag, nodes: [{ values, children: [] }] }];
  };
  const values = valuesOf(main.stream, main.directory, layout, (tag) => DESCRIPTIVE_TAGS.includes(tag));
  const node = { values, children: [...child(TAG.exifIfd, exif), ...child(TAG.gpsIfd, gps)] };
  const start = headerSize(layout);
  return concat([headerOf(layout, start), serialise([node], start, layout)]);
}

/** Converts an EXIF stream to tags for the first directory of a TIFF file. Returns no tags when it cannot be read. */
export function exifForTiff(exif: Uint8Array, target: Layout): Node {
  const node = tryParse(() => {
    const stream = openTiff(exif, 'EXIF');
    return exifNode(stream, readDirectory(stream, stream.first), target);
  });
  return node ?? { values: [], children: [] };
}
