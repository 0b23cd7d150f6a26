/** Edits IPTC IIM 4.2 records and reads the Photoshop image resources that contain them. */
import { appendRange, bufferOf, bytesOf, concat, type Range, Reader, startsWith, uint16, uint32 } from './bytes.ts';
import { collectUntilDamage } from './damage.ts';

const TAG_MARKER = 0x1c;
const APPLICATION_RECORD = 2;

/** Content location (26, 27), city, sublocation, province or state, country code and name. */
const LOCATION: ReadonlySet<number> = new Set([26, 27, 90, 92, 95, 100, 101]);
/** Format, version and data of a preview of the image. */
const PREVIEW: ReadonlySet<number> = new Set([200, 201, 202]);
const EXTENDED_SIZE = 0x8000;

export interface IptcEdits {
  removeLocation?: boolean;
  removePreview?: boolean;
}

/** Removes what the edits name; returns undefined when nothing is left. Drops everything behind damage. */
export function editIptc(iptc: Uint8Array, { removeLocation, removePreview }: IptcEdits): Uint8Array | undefined {
  const kept = collectUntilDamage<Range[]>([], (ranges) => {
    for (const dataset of datasets(iptc)) {
      const { record, number } = dataset;
      const isPlace = record === APPLICATION_RECORD && LOCATION.has(number);
      const isPreview = record > APPLICATION_RECORD || (record === APPLICATION_RECORD && PREVIEW.has(number));
      if (!(removeLocation && isPlace) && !(removePreview && isPreview)) appendRange(ranges, dataset);
    }
  });
  return kept.length === 0 ? undefined : concat([{ bytes: iptc, ranges: kept }]);
}

export interface Dataset extends Range {
  record: number;
  number: number;
  /** Offset of the value; `start` is the marker in front of it. */
  valueStart: number;
}

/** @throws Failure `corrupt_image` */
export function* datasets(iptc: Uint8Array): Generator<Dataset> {
  const reader = new Reader(iptc, 'IPTC');
  for (let start = 0; start < reader.length && reader.u8(start) === TAG_MARKER; ) {
    const size = reader.u16(start + 3);
    // Sizes from 32 KiB on are stored separately, in as many bytes as the size field says.
    const sizeBytes = size & EXTENDED_SIZE ? size - EXTENDED_SIZE : 0;
    const length = sizeBytes === 0 ? size : extendedSize(reader, start + 5, sizeBytes);
    const end = start + 5 + sizeBytes + length;
    reader.slice(start, end - start);
    yield { record: reader.u8(start + 1), number: reader.u8(start + 2), start, valueStart: end - length, end };
    start = end;
  }
}

function extendedSize(reader: Reader, at: number, bytes: number): number {
  let size = 0;
  for (const byte of reader.slice(at, bytes)) size = size * 256 + byte;
  return size;
}

const RESOURCE_SIGNATURE = '8BIM';
const IPTC_RESOURCE = 0x0404;

/** Photoshop defines a few hundred kinds, and writes each once. */
const MAX_RESOURCES = 10_000;

export interface ImageResource {
  id: number;
  data: Uint8Array;
}

/**
 * Yields Photoshop's image resources (Adobe Photoshop File Formats, "Image Resources Section").
 * @throws Failure `corrupt_image` at the first truncated one
 */
export function* imageResources(resources: Uint8Array): Generator<ImageResource> {
  const buffer = bufferOf(resources);
  const reader = new Reader(resources, 'Photoshop resource');
  for (let at = 0, count = 0; at < reader.length && count < MAX_RESOURCES; count += 1) {
    // Some writers omit the byte that makes a length even, so search for the next signature.
    at = buffer.indexOf(RESOURCE_SIGNATURE, at, 'latin1');
    if (at === -1) return;
    const nameLength = reader.u8(at + 6) + 1;
    const sizeAt = at + 6 + nameLength + (nameLength % 2);
    const data = reader.slice(sizeAt + 4, reader.u32(sizeAt));
    yield { id: reader.u16(at + 4), data };
    at = sizeAt + 4 + data.length;
  }
}

/** Returns the IPTC records among Photoshop's image resources. */
export function iptcOfResources(resources: Uint8Array): Uint8Array | undefined {
  return collectUntilDamage<{ iptc?: Uint8Array }>({}, (found) => {
    for (const { id, data } of imageResources(resources)) {
      if (id !== IPTC_RESOURCE || data.length === 0) continue;
      found.iptc = data;
      return;
    }
  }).iptc;
}

/** Wraps the records as the only image resource. */
export function resourcesOfIptc(iptc: Uint8Array): Uint8Array {
  const emptyName = new Uint8Array(2);
  const padding = new Uint8Array(iptc.length % 2);
  return concat([bytesOf(RESOURCE_SIGNATURE), uint16(IPTC_RESOURCE), emptyName, uint32(iptc.length), iptc, padding]);
}

/** Unwraps IPTC as TIFF and some PNG writers store it: bare, or inside Photoshop's resources. */
export function bareIptc(block: Uint8Array): Uint8Array | undefined {
  if (block[0] === TAG_MARKER) return block;
  return startsWith(block, RESOURCE_SIGNATURE) ? iptcOfResources(block) : undefined;
}
