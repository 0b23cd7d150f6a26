/**
 * Gain maps of JPEG files: a second JPEG behind the first one, listed in its multi-picture directory and, for Ultra HDR,
 * in the XMP of the first.
 */
import { bufferOf, bytesOf, concat, type Range, startsWith } from './bytes.ts';
import { collectUntilDamage, tryParse } from './damage.ts';
import type { GainMap, GainMapStandard } from './gain-map.ts';
import { headSegments, ICC, isDescriptive, MARKER, type Segment, segmentOf, XMP } from './jpeg-segments.ts';
import { DIRECTORY_BYTES, directoryOfTwo, readImageDirectory } from './multi-picture.ts';
import { tokenize } from './xml.ts';
import { editXmp, insertDescription } from './xmp.ts';

const JPEG_START = '\xff\xd8\xff';
const JPEG_END = '\xff\xd9';

/** Marks the metadata of ISO 21496-1. In the main image, a minimum and a writer version follow, of two bytes each. */
const ISO = 'urn:iso:std:iso:ts:21496:-1\0';
const VERSIONS = new Uint8Array(4);

/** Strings in the XMP of a gain map, and of a main image that has one. */
const XMP_MARKS: readonly [GainMapStandard, RegExp][] = [
  ['ultra_hdr', /\bhdrgm:Version/],
  ['apple', /\bHDRGainMap:|:hdrgainmap/],
];

/** Cameras write fewer than 50; each image of a directory is searched. */
const MAX_DESCRIBING_SEGMENTS = 500;
/** Cameras list four at most; a directory can list hundreds, all at one place. */
const MAX_LISTED = 16;

/** What the segments of a JPEG say about gain maps. */
interface Description {
  xmp?: Uint8Array;
  /** The payload without its identifier. */
  iso?: Uint8Array;
}

/** Returns the XMP packet and the payload of ISO 21496-1 of a main image or of a map. Never throws. */
export const descriptionOf = (jpeg: Uint8Array): Description =>
  collectUntilDamage<Description>({}, (found) => {
    let count = 0;
    for (const { marker, payload } of headSegments(jpeg)) {
      count += 1;
      if (count > MAX_DESCRIBING_SEGMENTS) return;
      if (marker === MARKER.app1 && startsWith(payload, XMP)) found.xmp ??= payload.subarray(XMP.length);
      else if (marker === MARKER.app2 && startsWith(payload, ISO)) found.iso ??= payload.subarray(ISO.length);
    }
  });

/** Returns the standards by which a JPEG is described as a gain map, or as an image with one. Never throws. */
export const standardsOf = (jpeg: Uint8Array): GainMapStandard[] => standardsIn(descriptionOf(jpeg));

function standardsIn({ xmp, iso }: Description): GainMapStandard[] {
  const text = xmp ? bufferOf(xmp).toString('latin1') : '';
  const named = XMP_MARKS.filter(([, mark]) => mark.test(text)).map(([standard]) => standard);
  return iso ? [...named, 'iso_21496_1'] : named;
}

/** Finds the gain map of a JPEG; undefined if it has none. Never throws. */
export function gainMapOf(bytes: Uint8Array): GainMap | undefined {
  const description = descriptionOf(bytes);
  const declared = standardsIn(description);
  const listed = (tryParse(() => readImageDirectory(bytes))?.images ?? []).slice(0, MAX_LISTED);
  const contained = declared.includes('ultra_hdr') && description.xmp ? lastItem(bytes, description.xmp) : [];
  for (const { start, end } of [...listed, ...contained]) {
    const file = bytes.subarray(start, end);
    const standards = startsWith(file, JPEG_START) ? standardsOf(file) : [];
    if (standards.length > 0) return { standards, file };
  }
  return declared.length > 0 ? { standards: declared } : undefined;
}

/**
 * Finds the map by the list of items in the XMP, for files whose multi-picture directory is missing or wrong: the items
 * follow each other up to the end of the file (Ultra HDR Image Format 1.0, GContainer).
 */
function lastItem(bytes: Uint8Array, xmp: Uint8Array): Range[] {
  const items: { isGainMap: boolean; length: number }[] = [];
  for (const token of tokenize(bufferOf(xmp).toString('utf8'))) {
    if (token.kind !== 'open') continue;
    const value = (name: string) => token.attributes.find((one) => one.name.endsWith(`:${name}`))?.value;
    const semantic = value('Semantic');
    if (semantic !== undefined) items.push({ isGainMap: semantic === 'GainMap', length: Number(value('Length') ?? 0) });
  }
  const at = items.findIndex(({ isGainMap }) => isGainMap);
  if (at === -1) return [];
  const start = bytes.length - items.slice(at).reduce((sum, { length }) => sum + length, 0);
  return start > 0 ? [{ start, end: start + items[at]!.length }] : [];
}

/** Returns the segments by which a main image announces the map, without the multi-picture directory. */
export const announcementOf = ({ standards }: GainMap): Uint8Array[] =>
  standards.includes('iso_21496_1') ? [segmentOf(MARKER.app2, bytesOf(ISO), VERSIONS)] : [];

/**
 * Returns the XMP of a main image with the list of the items of the file (Ultra HDR Image Format 1.0), as far as the
 * map needs it.
 * @param xmp without such a list
 */
export function announceInXmp(xmp: Uint8Array | undefined, { standards, file }: GainMap): Uint8Array | undefined {
  if (!standards.includes('ultra_hdr') || !file) return xmp;
  const item = (semantic: string, more: string) =>
    `<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="${semantic}" Item:Mime="image/jpeg"${more}/></rdf:li>`;
  return insertDescription(
    xmp,
    'xmlns:Container="http://ns.google.com/photos/1.0/container/"' +
      ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"' +
      ' xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"',
    `<Container:Directory><rdf:Seq>${item('Primary', '')}${item('GainMap', ` Item:Length="${file.length}"`)}</rdf:Seq></Container:Directory>`,
  );
}

/**
 * Puts a map behind a main image, and its multi-picture directory behind the application segments of that.
 * @param image one JPEG, without such a directory
 */
export function attachGainMap(image: Uint8Array, map: Uint8Array): Uint8Array<ArrayBuffer> {
  let at = 2;
  for (const { marker, start } of headSegments(image)) {
    if (!isDescriptive(marker)) {
      at = start;
      break;
    }
  }
  const directory = directoryOfTwo(at, image.length + DIRECTORY_BYTES, map.length);
  return concat([image.subarray(0, at), directory, image.subarray(at), map]);
}

/**
 * Separates a gain map from its main image. Undefined for a file without one, and for one with anything else behind the
 * main image.
 */
export function detachGainMap(bytes: Uint8Array): { image: Uint8Array; map: Uint8Array } | undefined {
  const directory = tryParse(() => readImageDirectory(bytes));
  const [image, ...more] = directory?.images ?? [];
  if (!directory || !image || more.length > 0) return undefined;
  const { segment: entry } = directory;
  const { start, end } = image;
  const isWhole = start >= entry.end && end <= bytes.length && startsWith(bytes.subarray(start - 2), JPEG_END);
  const map = bytes.subarray(start, end);
  // Cameras and servers pad files with zeros.
  if (!isWhole || standardsOf(map).length === 0 || bytes.subarray(end).some((byte) => byte !== 0)) return undefined;
  return { image: concat([bytes.subarray(0, entry.start), bytes.subarray(entry.end, start)]), map };
}

/** Segments of a gain map that describe it: XMP, the profile of its rendition, and ISO 21496-1. */
const describesMap = ({ marker, payload }: Segment): boolean =>
  (marker === MARKER.app1 && startsWith(payload, XMP)) ||
  (marker === MARKER.app2 && (startsWith(payload, ICC) || startsWith(payload, ISO)));

/**
 * Describes the pixels of a JPEG as a gain map. Only what describes the map is taken over, without locations.
 * @param pixels a JPEG without metadata
 * @param map the file that has the description
 * @returns undefined if the map is too damaged to be read
 */
export const describeGainMap = (pixels: Uint8Array, map: Uint8Array): Uint8Array | undefined =>
  tryParse(() => {
    const description = [...headSegments(map)].filter(describesMap).map(({ marker, payload, start, end }) => {
      if (marker !== MARKER.app1) return map.subarray(start, end);
      const xmp = editXmp(payload.subarray(XMP.length), { removeLocation: true, removePixelFacts: true });
      return xmp ? segmentOf(MARKER.app1, bytesOf(XMP), xmp) : new Uint8Array(0);
    });
    const [first] = headSegments(pixels);
    // JFIF must come first.
    const at = first?.marker === MARKER.app0 ? first.end : 2;
    return concat([pixels.subarray(0, at), ...description, pixels.subarray(at)]);
  });
