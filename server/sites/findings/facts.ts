/** Data about an image that findings and predictions need beside its columns: the JSON in the column `facts`. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { findFormat } from '../../../codecs/formats/registry.ts';
import type { Inspection } from '../../../engine/operations/inspect/record.ts';

export interface AssetFacts {
  /** The file contains a GPS position. */
  gps: boolean;
  /** Bytes of each metadata block in the file. */
  exifBytes: number;
  iptcBytes: number;
  xmpBytes: number;
  iccBytes: number;
  cmyk: boolean;
  bitDepth: number;
  paletteColors: number | null;
  /** null when the header does not say. */
  lossless: boolean | null;
  /** Quality estimate of a JPEG, 1 to 100 on the scale of libjpeg. */
  quality: number | null;
  chroma: string | null;
  pages: number;
  /** The image cannot be decoded in part or at all. */
  damaged: boolean;
  /** Size of an SVG with gzip. */
  gzipBytes: number | null;
}

const packed = promisify(gzip);

/**
 * Collects the facts of an inspected file. The bytes of an SVG must not have been transferred to a worker before,
 * because they are compressed here.
 */
export async function factsOf(record: Inspection, data: ArrayBuffer): Promise<AssetFacts> {
  const { color, encoding, metadata, fingerprints } = record;
  return {
    gps: record.gps !== null,
    exifBytes: metadata.exif_bytes,
    iptcBytes: metadata.iptc_bytes,
    xmpBytes: metadata.xmp_bytes,
    iccBytes: metadata.icc_bytes,
    cmyk: color.space === 'cmyk',
    bitDepth: color.bit_depth,
    paletteColors: color.palette_colors,
    lossless: encoding.lossless,
    quality: encoding.quality_estimate,
    chroma: encoding.chroma_subsampling,
    pages: record.pages,
    damaged: fingerprints.phash === null || record.warnings.includes('truncated_source'),
    gzipBytes: findFormat(record.format)?.web?.kind === 'vector' ? (await packed(data)).length : null,
  };
}

export const readFacts = (json: string | null): AssetFacts | undefined =>
  json === null ? undefined : (JSON.parse(json) as AssetFacts);
