/**
 * Edits XMP packets (ISO 16684-1) as text. Properties are matched by local name in any namespace: exif, photoshop,
 * IPTC, Dublin Core, drone makers and W3C geo use the same few words for places, and a prefix proves nothing.
 */
import { type Attribute, tokenize } from './xml.ts';

export interface XmpEdits {
  removeLocation?: boolean;
  resetOrientation?: boolean;
  /** Removes thumbnails and recorded sizes, which are wrong once the pixels have changed. */
  removePixelFacts?: boolean;
  /** Removes pointers to data elsewhere in a JPEG file, which are not copied with the packet. */
  removeReferences?: boolean;
}

/** exif:GPSLatitude, drone-dji:GpsLongtitude (sic), exif:GPSAltitude, drone-dji:AbsoluteAltitude ... */
const COORDINATE = /^gps|latitude|longt?itude|altitude/i;

const PLACES: ReadonlySet<string> = new Set([
  'City',
  'Country',
  'CountryCode',
  'CountryName',
  'Location',
  'LocationCreated',
  'LocationId',
  'LocationName',
  'LocationShown',
  'ProvinceState',
  'State',
  'Sublocation',
  'WorldRegion',
  'alt',
  'coverage',
  'lat',
  'long',
  'shotLocation',
]);

const PIXEL_FACTS: ReadonlySet<string> = new Set([
  'Thumbnails',
  'ImageLength',
  'ImageWidth',
  'PixelXDimension',
  'PixelYDimension',
]);

/** Extended XMP, and the gain map and its container directory (Adobe gain map 1.0, Google Ultra HDR 1.0). */
const REFERENCE = /^(xmpNote:HasExtendedXMP|hdrgm:.+|G?Container:Directory)$/;

const COORDINATE_LEFT = /gps(latitude|longt?itude)/i;
/** The largest real packets have a few megabytes; 20 MB that consist of tags only take three seconds. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;
const NAMESPACE = /^xmlns(:|$)/;
const ROTATED = /^\s*[2-8]\s*$/;

interface Change {
  start: number;
  end: number;
  text: string;
}

/**
 * Applies the edits to the packet.
 * @returns undefined when the packet cannot be parsed: private data in it cannot be removed, so the caller must drop it
 */
export function editXmp(xmp: Uint8Array, edits: XmpEdits): Uint8Array | undefined {
  const text = decode(xmp);
  const changes = text === undefined ? undefined : changesFor(text, edits);
  if (text === undefined || !changes) return undefined;
  const edited = applyChanges(text, changes);
  if (edits.removeLocation && COORDINATE_LEFT.test(edited)) return undefined;
  return new TextEncoder().encode(edited);
}

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/**
 * Adds a description of the image to a packet.
 * @param xmp the packet; undefined for a new one
 * @param attributes namespaces and simple properties, as XML
 * @param content further properties, as XML
 * @returns undefined when the packet cannot be parsed
 */
export function insertDescription(
  xmp: Uint8Array | undefined,
  attributes: string,
  content: string,
): Uint8Array | undefined {
  const text = xmp
    ? decode(xmp)
    : `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}"></rdf:RDF></x:xmpmeta>`;
  if (text === undefined) return undefined;
  const description = `<rdf:Description rdf:about="" xmlns:rdf="${RDF}" ${attributes}>${content}</rdf:Description>`;
  let at: number | undefined;
  for (const token of tokenize(text)) {
    if (token.kind === 'damage') return undefined;
    if (token.kind === 'close' && localName(token.name) === 'RDF') at = token.start;
  }
  return at === undefined
    ? undefined
    : new TextEncoder().encode(applyChanges(text, [{ start: at, end: at, text: description }]));
}

function decode(xmp: Uint8Array): string | undefined {
  if (xmp.length > MAX_PACKET_BYTES) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(xmp);
  } catch {
    return undefined;
  }
}

const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

function isRemoved(name: string, edits: XmpEdits): boolean {
  const local = localName(name);
  if (edits.removeLocation && (PLACES.has(local) || COORDINATE.test(local))) return true;
  if (edits.removePixelFacts && PIXEL_FACTS.has(local)) return true;
  return edits.removeReferences === true && REFERENCE.test(name);
}

/** Returns undefined when the text is not well-formed. */
function changesFor(text: string, edits: XmpEdits): Change[] | undefined {
  const changes: Change[] = [];
  const open: { name: string; start: number; contentStart: number }[] = [];
  /** How many elements were open outside the element that is being removed. */
  let removedAt: number | undefined;

  for (const token of tokenize(text)) {
    if (token.kind === 'damage') return undefined;
    if (token.kind === 'other') {
      // A comment may contain a commented-out location.
      if (edits.removeLocation && token.comment && removedAt === undefined)
        changes.push({ start: token.start, end: token.end, text: '' });
    } else if (token.kind === 'open') {
      if (removedAt === undefined && isRemoved(token.name, edits)) {
        if (token.selfClosing) changes.push({ start: token.start, end: token.end, text: '' });
        else removedAt = open.length;
      } else if (removedAt === undefined) {
        changes.push(...token.attributes.flatMap((attribute) => attributeChange(attribute, edits)));
      }
      if (!token.selfClosing) open.push({ name: token.name, start: token.start, contentStart: token.end });
    } else {
      const element = open.pop()!;
      if (removedAt === open.length) {
        changes.push({ start: element.start, end: token.end, text: '' });
        removedAt = undefined;
      } else if (
        removedAt === undefined &&
        isRotation(element.name, text.slice(element.contentStart, token.start), edits)
      ) {
        changes.push({ start: element.contentStart, end: token.start, text: '1' });
      }
    }
  }
  return changes;
}

function attributeChange({ name, value, start, valueStart, end }: Attribute, edits: XmpEdits): Change[] {
  if (!NAMESPACE.test(name) && isRemoved(name, edits)) return [{ start, end, text: '' }];
  if (isRotation(name, value, edits)) return [{ start: valueStart, end: valueStart + value.length, text: '1' }];
  return [];
}

const isRotation = (name: string, value: string, { resetOrientation }: XmpEdits): boolean =>
  resetOrientation === true && localName(name) === 'Orientation' && ROTATED.test(value);

function applyChanges(text: string, changes: readonly Change[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of changes) {
    parts.push(text.slice(at, start), replacement);
    at = end;
  }
  return parts.join('') + text.slice(at);
}
