/**
 * Editing XMP packets (ISO 16684-1) as text. A property counts by its local name whatever its namespace: exif, photoshop,
 * IPTC, Dublin Core, drone makers and W3C geo all name places in the same few words, and a prefix proves nothing.
 */
import { type Attribute, tokenize } from './xml.ts';

export interface XmpEdits {
  removeLocation?: boolean;
  resetOrientation?: boolean;
  /** Thumbnails and recorded sizes: untrue once the pixels have changed. */
  removePixelFacts?: boolean;
  /** Pointers to data that stood elsewhere in a JPEG file and do not travel with the packet. */
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
/** The largest packets in the wild have a few megabytes; 20 MB of nothing but tags take three seconds. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;
const NAMESPACE = /^xmlns(:|$)/;
const ROTATED = /^\s*[2-8]\s*$/;

interface Change {
  start: number;
  end: number;
  text: string;
}

/**
 * The packet with the edits made.
 * @returns undefined when the packet cannot be understood: what it hides can then not be removed, so it must be dropped
 */
export function editXmp(xmp: Uint8Array, edits: XmpEdits): Uint8Array | undefined {
  const text = decode(xmp);
  const changes = text === undefined ? undefined : changesFor(text, edits);
  if (text === undefined || !changes) return undefined;
  const edited = applyChanges(text, changes);
  if (edits.removeLocation && COORDINATE_LEFT.test(edited)) return undefined;
  return new TextEncoder().encode(edited);
}

function decode(xmp: Uint8Array): string | undefined {
  if (xmp.length > MAX_PACKET_BYTES) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(xmp);
  } catch {
    return undefined;
  }
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

function isRemoved(name: string, edits: XmpEdits): boolean {
  const local = localName(name);
  if (edits.removeLocation && (PLACES.has(local) || COORDINATE.test(local))) return true;
  if (edits.removePixelFacts && PIXEL_FACTS.has(local)) return true;
  return edits.removeReferences === true && REFERENCE.test(name);
}

/** undefined when the text is not well-formed. */
function changesFor(text: string, edits: XmpEdits): Change[] | undefined {
  const changes: Change[] = [];
  const open: { name: string; start: number; contentStart: number }[] = [];
  /** How many elements were open outside the element that is being removed. */
  let removedAt: number | undefined;

  for (const token of tokenize(text)) {
    if (token.kind === 'damage') return undefined;
    if (token.kind === 'other') {
      // A comment may hold what was commented out.
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

function isRotation(name: string, value: string, { resetOrientation }: XmpEdits): boolean {
  return resetOrientation === true && localName(name) === 'Orientation' && ROTATED.test(value);
}

function applyChanges(text: string, changes: readonly Change[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of changes) {
    parts.push(text.slice(at, start), replacement);
    at = end;
  }
  return parts.join('') + text.slice(at);
}
