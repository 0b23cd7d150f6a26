/** Arranges the record of inspect in groups for display. */
import type { InspectionRecord } from '../../../../client/types.generated.ts';
import { bytesText, countText, durationText } from '../../../ui/format.ts';
import type { Line } from '../result/facts.ts';
import { formatText } from '../result/labels.ts';

export interface RecordGroup {
  title: string;
  lines: readonly Line[];
}

type GainMap = NonNullable<InspectionRecord['gain_map']>;

type Value = string | number | boolean | null | undefined;

/** Omits groups without values. */
export function inspectionGroups(record: InspectionRecord): RecordGroup[] {
  const { color, encoding, camera, gps, metadata, fingerprints, thumbnail, dpi, gain_map: gainMap } = record;
  const { average, dominant } = record.colors ?? {};
  const isTurned = record.stored_width !== record.width || record.stored_height !== record.height;
  const groups = [
    group('File', {
      Format: formatText(record.format),
      Bytes: `${bytesText(record.bytes)} (${countText(record.bytes)} bytes)`,
      Size: `${countText(record.width)} × ${countText(record.height)}`,
      'Size as stored': isTurned && `${countText(record.stored_width)} × ${countText(record.stored_height)}`,
      Resolution: dpi && `${dpi.x} × ${dpi.y} dpi`,
      Pages: record.pages > 1 && record.pages,
      Frames: record.frames,
      'Time of one round': record.animation_ms && durationText(record.animation_ms),
      Compression: encoding.compression,
      Progressive: encoding.progressive,
      Lossless: encoding.lossless,
      Quality: encoding.quality_estimate && `about ${encoding.quality_estimate}`,
      'Chroma subsampling': encoding.chroma_subsampling,
    }),
    group('Taken', {
      Camera: [camera?.make, camera?.model].filter(Boolean).join(' '),
      Lens: camera?.lens,
      Exposure: camera?.exposure_time && `${camera.exposure_time} s`,
      Aperture: camera?.f_number && `f/${camera.f_number}`,
      ISO: camera?.iso,
      'Focal length': camera?.focal_length_mm && `${camera.focal_length_mm} mm`,
      Date: record.taken_at,
      Latitude: gps?.latitude,
      Longitude: gps?.longitude,
      Altitude: gps?.altitude_m && `${gps.altitude_m} m`,
    }),
    group('Colours', {
      Space: color.space,
      Profile: color.icc_profile,
      Channels: color.channels,
      'Bits of a sample': color.bit_depth,
      'See-through': color.transparent ?? color.has_alpha,
      'Colours of its palette': color.palette_colors,
      HDR: color.hdr,
      'Gain map': gainMap && gainMapText(gainMap),
      Average: average,
      'Most frequent': dominant,
    }),
    group('Inside the file', {
      EXIF: metadata.exif_bytes && bytesText(metadata.exif_bytes),
      IPTC: metadata.iptc_bytes && bytesText(metadata.iptc_bytes),
      XMP: metadata.xmp_bytes && bytesText(metadata.xmp_bytes),
      'Colour profile': metadata.icc_bytes && bytesText(metadata.icc_bytes),
      Comment: metadata.comment,
      Thumbnail: thumbnail && `${formatText(thumbnail.format)}, ${bytesText(thumbnail.bytes)}`,
      'Content credentials': record.provenance.c2pa,
    }),
    group('Fingerprints', {
      'SHA-256': fingerprints.sha256,
      'Perceptual hash': fingerprints.phash,
      'Difference hash': fingerprints.dhash,
      BlurHash: record.blurhash,
    }),
  ];
  return groups.filter(({ lines }) => lines.length > 0);
}

/** Omits values that are unknown, empty, zero or false. */
function group(title: string, values: Readonly<Record<string, Value>>): RecordGroup {
  const known = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return {
    title,
    lines: known
      .filter(([, value]) => value !== false && value !== 0)
      .map(([name, value]) => [name, value === true ? 'yes' : String(value)]),
  };
}

const STANDARDS: Readonly<Record<GainMap['standards'][number], string>> = {
  ultra_hdr: 'Ultra HDR',
  iso_21496_1: 'ISO 21496-1',
  apple: 'Apple',
};

function gainMapText({ standards, width, height }: GainMap): string {
  const size = width === null || height === null ? 'missing' : `${countText(width)} × ${countText(height)}`;
  return [...standards.map((standard) => STANDARDS[standard]), size].join(', ');
}
