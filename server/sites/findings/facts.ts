/** What findings and predictions need of an image beside the columns of its row: the JSON in `facts`. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Inspection } from '../../../engine/operations/inspect/record.ts';

export interface AssetFacts {
  /** The file carries a position. */
  gps: boolean;
  /** Bytes of the blocks inside the file. */
  exifBytes: number;
  iptcBytes: number;
  xmpBytes: number;
  iccBytes: number;
  cmyk: boolean;
  bitDepth: number;
  paletteColors: number | null;
  /** null where the header does not tell. */
  lossless: boolean | null;
  /** Of a JPEG, 1 to 100 on the scale of libjpeg. */
  quality: number | null;
  chroma: string | null;
  pages: number;
  /** A part of it cannot be decoded, or all. */
  damaged: boolean;
  /** Of an SVG: its size with gzip. */
  gzipBytes: number | null;
}

const packed = promisify(gzip);

/** Facts of a file that was inspected. Also call it before the bytes are given to a worker: of an SVG they are packed. */
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
    gzipBytes: record.format === 'svg' ? (await packed(data)).length : null,
  };
}

export function readFacts(json: string | null): AssetFacts | undefined {
  return json === null ? undefined : (JSON.parse(json) as AssetFacts);
}
