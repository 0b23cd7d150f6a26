/**
 * Metadata of JPEG files in application segments: JFIF, EXIF, XMP (part 3), ICC (ICC.1, annex B.4) and Photoshop's
 * IPTC.
 */
import { appendRange, bytesOf, concat, lengthOf, type Range, startsWith, uint16, viewOf } from './bytes.ts';
import { collectUntilDamage } from './damage.ts';
import { createExif } from './exif.ts';
import { iptcOfResources, resourcesOfIptc } from './iptc.ts';
import { announceInXmp, announcementOf, gainMapOf } from './jpeg-gain-map.ts';
import {
  headSegments,
  ICC,
  isDescriptive,
  isFrame,
  MARKER,
  MAX_PAYLOAD,
  segmentOf,
  segmentsOf,
  XMP,
} from './jpeg-segments.ts';
import type { Density, Metadata } from './metadata.ts';
import { DIRECTORY_BYTES, directoryOfTwo } from './multi-picture.ts';
import { editXmp } from './xmp.ts';

const JFIF = 'JFIF\0';
export const EXIF = 'Exif\0\0';
const PHOTOSHOP = 'Photoshop 3.0\0';
const ADOBE = 'Adobe';

/** Bytes of the signature, the number of this chunk and the number of chunks. Both count from 1 in one byte each. */
export const ICC_HEADER = ICC.length + 2;
const ICC_CHUNK = MAX_PAYLOAD - ICC_HEADER;
const MAX_ICC_CHUNKS = 255;
const ADOBE_LENGTH = 12;
const CM_PER_INCH = 2.54;
const MAX_DENSITY = 0xffff;

/** Maximum bytes of each block that a JPEG file can hold. */
export const JPEG_LIMITS = {
  exif: MAX_PAYLOAD - EXIF.length,
  xmp: MAX_PAYLOAD - XMP.length,
  icc: ICC_CHUNK * MAX_ICC_CHUNKS,
  iptc: MAX_PAYLOAD - PHOTOSHOP.length - 13,
} as const;

export function read(bytes: Uint8Array): Metadata {
  const metadata = readStored(bytes);
  // The packet's extension is not returned, and the gain map is announced when it is written: no references to them.
  if (metadata.xmp) metadata.xmp = editXmp(metadata.xmp, { removeReferences: true }) ?? metadata.xmp.slice();
  const gainMap = gainMapOf(bytes);
  return gainMap ? { ...metadata, gainMap } : metadata;
}

/**
 * Reads the blocks as they are stored, including those that are useless outside the file. Returns views instead of
 * copies where possible.
 */
export function readStored(bytes: Uint8Array): Metadata {
  const metadata: Metadata = {};
  const iccChunks: { sequence: number; data: Uint8Array }[] = [];
  const exif: Uint8Array[] = [];
  const resources: Uint8Array[] = [];
  collectUntilDamage(metadata, () => {
    for (const { marker, payload } of headSegments(bytes)) {
      const after = (signature: string) => payload.subarray(signature.length);
      if (marker === MARKER.app0 && startsWith(payload, JFIF)) Object.assign(metadata, jfifDensity(payload));
      else if (marker === MARKER.app1 && startsWith(payload, EXIF)) exif.push(after(EXIF));
      else if (marker === MARKER.app1 && startsWith(payload, XMP)) metadata.xmp ??= after(XMP);
      else if (marker === MARKER.app2 && startsWith(payload, ICC) && payload.length > ICC_HEADER) {
        iccChunks.push({ sequence: payload[ICC.length]!, data: payload.subarray(ICC_HEADER) });
      } else if (marker === MARKER.app13 && startsWith(payload, PHOTOSHOP)) resources.push(after(PHOTOSHOP));
    }
  });
  const icc = concat(iccChunks.sort((a, b) => a.sequence - b.sequence).map(({ data }) => data));
  if (icc.length > 0) metadata.icc = icc;
  const stream = joinExif(exif);
  if (stream) metadata.exif = stream;
  const iptc = iptcOfResources(concat(resources));
  if (iptc) metadata.iptc = iptc;
  return metadata;
}

/** Streams of more than one segment continue without a TIFF header, as ExifTool writes them. */
function joinExif(parts: readonly Uint8Array[]): Uint8Array | undefined {
  const again = parts.findIndex((part, index) => index > 0 && (startsWith(part, 'II*\0') || startsWith(part, 'MM\0*')));
  const joined = concat(again === -1 ? parts : parts.slice(0, again));
  return joined.length > 0 ? joined : undefined;
}

function jfifDensity(payload: Uint8Array): { density?: Density } {
  if (payload.length < 12) return {};
  const view = viewOf(payload);
  const unit = view.getUint8(7);
  const [x, y] = [view.getUint16(8), view.getUint16(10)];
  if ((unit !== 1 && unit !== 2) || x === 0 || y === 0) return {};
  const perInch = unit === 1 ? 1 : CM_PER_INCH;
  return { density: { x: x * perInch, y: y * perInch } };
}

/**
 * Replaces all metadata. A block larger than JPEG_LIMITS is left out. Drops everything behind the first image, such as
 * previews of MPF; a gain map is written there.
 * @throws Failure `corrupt_image`
 */
export function write(bytes: Uint8Array, metadata: Metadata): Uint8Array {
  const { image, frame, hadJfif, adobe } = partsOf(bytes);
  const { density, gainMap } = metadata;
  const jfif = hadJfif || (density !== undefined && !adobe && mayBecomeJfif(frame));
  const exif = metadata.exif ?? (density && !jfif ? createExif({ density }) : undefined);
  const announced = gainMap && announceInXmp(metadata.xmp, gainMap);
  const xmp = announced && announced.length <= JPEG_LIMITS.xmp ? announced : metadata.xmp;
  const head = [
    Uint8Array.of(0xff, MARKER.soi),
    ...(jfif ? [segmentOf(MARKER.app0, jfifPayload(density))] : []),
    ...block(MARKER.app1, EXIF, exif, JPEG_LIMITS.exif),
    ...block(MARKER.app1, XMP, xmp, JPEG_LIMITS.xmp),
    ...block(MARKER.app13, PHOTOSHOP, metadata.iptc && resourcesOfIptc(metadata.iptc), MAX_PAYLOAD - PHOTOSHOP.length),
    ...iccSegments(metadata.icc),
    ...(gainMap ? announcementOf(gainMap) : []),
  ];
  const rest = [
    ...(adobe ? [segmentOf(MARKER.app14, adobe.subarray(0, ADOBE_LENGTH))] : []),
    { bytes, ranges: image },
    Uint8Array.of(0xff, MARKER.eoi),
  ];
  if (!gainMap?.file) return concat([...head, ...rest]);
  const [at, behind] = [head, rest].map((parts) => parts.reduce((sum, part) => sum + lengthOf(part), 0)) as [
    number,
    number,
  ];
  const directory = directoryOfTwo(at, at + DIRECTORY_BYTES + behind, gainMap.file.length);
  return concat([...head, directory, ...rest, gainMap.file]);
}

interface Parts {
  /** Tables, frames and scans. */
  image: Range[];
  hadJfif: boolean;
  /** Payload of Adobe's segment, which declares how colours are coded. */
  adobe?: Uint8Array;
  /** Payload of the start of frame. */
  frame?: Uint8Array;
}

/** @throws Failure `corrupt_image` */
function partsOf(bytes: Uint8Array): Parts {
  const parts: Parts = { image: [], hadJfif: false };
  for (const { marker, payload, start, end } of segmentsOf(bytes)) {
    if (marker === MARKER.app0 && startsWith(payload, JFIF)) parts.hadJfif = true;
    if (marker === MARKER.app14 && startsWith(payload, ADOBE) && payload.length >= ADOBE_LENGTH)
      parts.adobe ??= payload;
    if (isFrame(marker)) parts.frame ??= payload;
    if (!isDescriptive(marker)) appendRange(parts.image, { start, end });
  }
  return parts;
}

/**
 * Whether a JFIF segment would leave the colours unchanged. JFIF declares grey or YCbCr; without it, decoders look at
 * the component names (libjpeg, default_decompress_parms).
 */
function mayBecomeJfif(frame: Uint8Array | undefined): boolean {
  const components = frame?.[5];
  if (components === 1) return true;
  const names = [6, 9, 12].map((at) => frame?.[at]);
  return components === 3 && names.every((name, index) => name === index + 1);
}

function jfifPayload(density: Density | undefined): Uint8Array {
  const dots = (value: number) => uint16(Math.min(MAX_DENSITY, Math.max(1, Math.round(value))));
  const version = Uint8Array.of(1, 2);
  const resolution = density
    ? [Uint8Array.of(1), dots(density.x), dots(density.y)]
    : [Uint8Array.of(0), uint16(1), uint16(1)];
  const noThumbnail = Uint8Array.of(0, 0);
  return concat([bytesOf(JFIF), version, ...resolution, noThumbnail]);
}

function block(marker: number, signature: string, data: Uint8Array | undefined, limit: number): Uint8Array[] {
  if (!data || data.length === 0 || data.length > limit) return [];
  return [segmentOf(marker, bytesOf(signature), data)];
}

function iccSegments(icc: Uint8Array | undefined): Uint8Array[] {
  if (!icc || icc.length > JPEG_LIMITS.icc) return [];
  const chunks = Math.ceil(icc.length / ICC_CHUNK);
  return Array.from({ length: chunks }, (_, index) => {
    const data = icc.subarray(index * ICC_CHUNK, (index + 1) * ICC_CHUNK);
    return segmentOf(MARKER.app2, bytesOf(ICC), Uint8Array.of(index + 1, chunks), data);
  });
}
