/** Converts the inspection of an image into the columns of its asset. */
import { findFormat } from '../../codecs/formats/registry.ts';
import type { Inspection } from '../../engine/operations/inspect/record.ts';
import type { AssetKind } from '../../storage/records/site-assets.ts';

export function toAssetColumns(record: Inspection) {
  const { format, bytes, width, height, frames, animated, color, fingerprints } = record;
  return {
    kind: kindOf(format, animated),
    format,
    bytes,
    width,
    height,
    frames,
    animated: Number(animated),
    hasAlpha: Number(color.has_alpha),
    sha256: fingerprints.sha256,
    fingerprint: fingerprints.phash,
  };
}

export function kindOf(format: string, animated: boolean): AssetKind {
  const kind = findFormat(format)?.web?.kind;
  if (kind === 'vector' || kind === 'icon') return kind;
  return animated ? 'animation' : 'raster';
}
