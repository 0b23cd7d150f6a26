/**
 * Reads CALS raster of type 1: a text header and a page of CCITT group 4 (MIL-STD-1840A, MIL-R-28002C). The page is
 * wrapped in a TIFF file and passed to the TIFF decoder.
 */
import { checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange, unsupportedFormat } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { concat, latin1 } from '../../metadata/bytes.ts';
import { headerOf, longs, rational, serialise, shorts, type Value } from '../../metadata/directory.ts';
import { uprightSize } from '../../orient.ts';
import { FORMATS } from '../registry.ts';

/** Sixteen records of 128 bytes. */
const HEADER_BYTES = 2048;
const GROUP_4 = 4;
const PER_INCH = 2;

/**
 * EXIF orientations by the directions of the pixels of a line and of the lines, in degrees anticlockwise from the right
 * (MIL-R-28002C, 3.2.2).
 */
const ORIENTATIONS: Readonly<Record<string, number>> = {
  '0,270': 1,
  '180,270': 2,
  '180,90': 3,
  '0,90': 4,
  '270,0': 5,
  '270,180': 6,
  '90,180': 7,
  '90,0': 8,
};

interface Header {
  /** As stored. */
  width: number;
  height: number;
  orientation: number;
  /** Dots per inch. */
  density: number | undefined;
}

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const header = readHeader(bytes, page);
    return { ...uprightSize(header, header.orientation), pages: 1, depth: 8, hasAlpha: false };
  },
  decode(bytes, { page, maxPixels }) {
    const header = readHeader(bytes, page);
    checkPixels(header, maxPixels);
    return { embedded: { format: 'tiff', bytes: toTiff(bytes.subarray(HEADER_BYTES), header) } };
  },
};

function readHeader(bytes: Uint8Array, page: number): Header {
  const text = latin1(bytes.subarray(0, HEADER_BYTES));
  const numbers = (name: string) =>
    new RegExp(`(?:^|[^a-z])${name}: *(\\d+)(?:, *(\\d+))?`).exec(text)?.slice(1).map(Number) ?? [];
  const [type] = numbers('rtype');
  if (type !== undefined && type !== 1) throw unsupportedFormat(`CALS raster of type ${type}`);
  const [width = 0, height = 0] = numbers('rpelcnt');
  if (!(width > 0 && height > 0) || bytes.length <= HEADER_BYTES) throw corruptImage(FORMATS.cals.name);
  if (page > 1) throw pageOutOfRange(page, 1);
  const [density] = numbers('rdensty');
  return { width, height, orientation: ORIENTATIONS[numbers('rorient').join()] ?? 1, density: density || undefined };
}

/** Wraps the data as one strip in which 0 is white (TIFF 6.0, sections 3 and 11). */
function toTiff(strip: Uint8Array, { width, height, orientation, density }: Header): Uint8Array {
  const layout = { littleEndian: true, big: false };
  const long = (tag: number, value: number) => longs(tag, [value], true);
  const short = (tag: number, value: number) => shorts(tag, [value], true);
  const directoryAt = headerOf(layout, 0).length;
  const values = (stripAt: number): Value[] => [
    long(256, width),
    long(257, height),
    short(258, 1),
    short(259, GROUP_4),
    short(262, 0),
    long(273, stripAt),
    short(274, orientation),
    short(277, 1),
    long(278, height),
    long(279, strip.length),
    ...(density ? [rational(282, density, true), rational(283, density, true), short(296, PER_INCH)] : []),
  ];
  const directory = (stripAt: number) => serialise([{ values: values(stripAt), children: [] }], directoryAt, layout);
  const stripAt = directoryAt + directory(0).length;
  return concat([headerOf(layout, directoryAt), directory(stripAt), strip]);
}
