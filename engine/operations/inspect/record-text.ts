/** Formats an inspection as lines of text for people. */
import { printable } from '../../../base/printable.ts';
import { bytesText } from '../../../base/size-text.ts';
import type { Inspection } from './record.ts';

const listed = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(', ');

export function inspectionText(record: Inspection): string {
  const { color, encoding, metadata, camera, gps, colors, gain_map: gainMap } = record;
  const turned = record.orientation > 1 && `stored as ${record.stored_width} x ${record.stored_height}`;
  const blocks = (['exif', 'iptc', 'xmp', 'icc'] as const)
    .map((name) => [name.toUpperCase(), metadata[`${name}_bytes`]] as const)
    .filter(([, bytes]) => bytes > 0);
  const lines = {
    format: listed(
      record.format,
      bytesText(record.bytes),
      encoding.compression,
      encoding.chroma_subsampling,
      encoding.quality_estimate !== null && `quality about ${encoding.quality_estimate}`,
      encoding.progressive === true && 'progressive',
    ),
    size: listed(
      `${record.width} x ${record.height} pixels`,
      turned,
      record.dpi && `${record.dpi.x} dpi`,
      record.pages > 1 && `page ${record.page} of ${record.pages}`,
      record.animation_ms !== null && `${record.frames} frames in ${record.animation_ms} ms`,
    ),
    colour: listed(
      color.icc_profile ?? color.space,
      `${color.channels} channels of ${color.bit_depth} bits`,
      color.transparent === true && 'transparent',
      color.hdr && 'high dynamic range',
      colors && `mostly ${colors.dominant}`,
    ),
    'gain map': listed(
      gainMap && (gainMap.width === null ? 'missing' : `${gainMap.width} x ${gainMap.height} pixels`),
      gainMap?.standards.join(' and '),
      typeof gainMap?.hdr_capacity_max === 'number' && `up to ${gainMap.hdr_capacity_max} stops brighter`,
    ),
    camera: listed(
      camera && [camera.make, camera.model].filter(Boolean).join(' '),
      camera?.lens,
      camera?.exposure_time && `${camera.exposure_time} s`,
      typeof camera?.f_number === 'number' && `f/${camera.f_number}`,
      typeof camera?.iso === 'number' && `ISO ${camera.iso}`,
    ),
    taken: record.taken_at ?? '',
    position: listed(gps && gps.latitude !== null && gps.longitude !== null && `${gps.latitude}, ${gps.longitude}`),
    metadata: listed(...blocks.map(([name, bytes]) => `${name} ${bytesText(bytes)}`), metadata.comment && 'a comment'),
    privacy: listed(...record.privacy),
    sha256: record.fingerprints.sha256,
    warnings: listed(...record.warnings),
  };
  return Object.entries(lines)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `  ${name.padEnd(10)}${printable(text)}\n`)
    .join('');
}
