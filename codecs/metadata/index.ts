/**
 * Reads the metadata of any format, selects what stays, and writes it into an encoded file without touching its pixels.
 */
import { FORMATS, type FormatId, OUTPUTS, type OutputFormat } from '../formats/registry.ts';
import { createExif, editExif, readExif } from './exif.ts';
import { editIptc } from './iptc.ts';
import type { Density, Metadata } from './metadata.ts';
import { editXmp } from './xmp.ts';

const TENTHS = 10;

/** Reads what a file carries besides its pixels. Returns nothing for formats without known metadata. */
export function readMetadata(format: FormatId, bytes: Uint8Array): Metadata {
  const metadata = FORMATS[format].metadata?.read(plainView(bytes)) ?? {};
  const density = metadata.density ?? (metadata.exif && readExif(metadata.exif).density);
  return density ? { ...metadata, density: rounded(density) } : metadata;
}

/** Needed because `slice` of a Buffer does not copy. */
const plainView = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Rounds to tenths: PNG counts in dots per metre, so that 144 dpi is read back as 143.9926. */
const rounded = ({ x, y }: Density): Density => ({
  x: Math.round(x * TENTHS) / TENTHS,
  y: Math.round(y * TENTHS) / TENTHS,
});

/**
 * Replaces all metadata of the file by the given blocks. Blocks that its container cannot hold are left out.
 * The density goes into the container's own field and into EXIF; where the container has no field, an EXIF is created.
 * @throws Failure `corrupt_image`
 */
export function writeMetadata(format: FormatId, bytes: Uint8Array, metadata: Metadata): Uint8Array {
  const container = FORMATS[format].metadata;
  return container?.write ? container.write(plainView(bytes), withDensity(format, metadata)) : bytes;
}

/**
 * Selects the blocks that the format can hold: no blocks foreign to its container, and none too large for it.
 */
export function fitMetadata(format: OutputFormat, { icc, exif, xmp, iptc, density, gainMap }: Metadata): Metadata {
  const { holds, maxBlockBytes } = OUTPUTS[format];
  const fits = (block: 'icc' | 'exif' | 'xmp' | 'iptc', data: Uint8Array | undefined): data is Uint8Array =>
    data !== undefined && holds[block] && (!maxBlockBytes || data.length <= maxBlockBytes[block]);
  return {
    ...(fits('icc', icc) ? { icc } : {}),
    ...(fits('exif', exif) ? { exif } : {}),
    ...(fits('xmp', xmp) ? { xmp } : {}),
    ...(fits('iptc', iptc) ? { iptc } : {}),
    ...(density && holds.density ? { density } : {}),
    ...(gainMap?.file && holds.gainMap ? { gainMap } : {}),
  };
}

function withDensity(format: FormatId, metadata: Metadata): Metadata {
  const { density, exif } = metadata;
  if (!density) return metadata;
  if (!exif) return FORMATS[format].metadata?.densityInExif ? { ...metadata, exif: createExif({ density }) } : metadata;
  const recorded = readExif(exif).density;
  const wanted = rounded(density);
  if (recorded && rounded(recorded).x === wanted.x && rounded(recorded).y === wanted.y) return metadata;
  return { ...metadata, exif: editExif(exif, { density }) ?? createExif({ density }) };
}

export type MetadataMode = 'strip' | 'keep' | 'no_gps' | 'color';

export interface ImageFacts {
  /** Size in pixels, as displayed. */
  width: number;
  height: number;
  /** Drops thumbnails, which would show what the image no longer shows. */
  pixelsChanged: boolean;
}

/** Whether a mode keeps everything that describes the image, such as EXIF and gain maps. */
export const keepsDescriptions = (mode: MetadataMode): boolean => mode === 'keep' || mode === 'no_gps';

/**
 * Selects the metadata that a mode keeps, for an upright image. `keep` keeps everything, `no_gps` everything but the
 * locations in EXIF, XMP and IPTC, `color` the profile, `strip` nothing. The gain map must fit the image already.
 */
export function selectMetadata(metadata: Metadata, mode: MetadataMode, facts: ImageFacts): Metadata {
  const { icc, density } = metadata;
  if (mode === 'strip') return {};
  if (mode === 'color') return icc ? { icc } : {};
  const removeLocation = mode === 'no_gps';
  const exif = metadata.exif && selectExif(metadata.exif, removeLocation, facts);
  const xmp = metadata.xmp && selectXmp(metadata.xmp, removeLocation, facts);
  const iptc = metadata.iptc && editIptc(metadata.iptc, { removeLocation, removePreview: facts.pixelsChanged });
  return {
    ...(icc ? { icc } : {}),
    ...(exif ? { exif } : {}),
    ...(xmp ? { xmp } : {}),
    ...(iptc ? { iptc } : {}),
    ...(density ? { density } : {}),
    ...(metadata.gainMap ? { gainMap: metadata.gainMap } : {}),
  };
}

function selectExif(exif: Uint8Array, removeGps: boolean, { width, height, pixelsChanged }: ImageFacts) {
  return editExif(exif, {
    orientation: 1,
    removeGps,
    removeThumbnail: pixelsChanged,
    ...(pixelsChanged ? { width, height } : {}),
  });
}

function selectXmp(xmp: Uint8Array, removeLocation: boolean, { pixelsChanged }: ImageFacts) {
  const edited = editXmp(xmp, { removeLocation, resetOrientation: true, removePixelFacts: pixelsChanged });
  // A packet that cannot be parsed may contain a location, so it is dropped only if locations must go.
  return edited ?? (removeLocation ? undefined : xmp);
}
