import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats/registry.ts';
import { type JpegFrame, type JpegScan, walkJpeg } from './headers.ts';
import { BitReader } from './huffman.ts';

export interface JpegSamples {
  /** Interleaved. */
  values: Uint16Array;
  truncated: boolean;
}

/**
 * Decodes all scans; each component must be in one of them.
 * @param decodeScan returns whether the scan is complete
 * @returns whether a scan is missing or ends early
 * @throws Failure `corrupt_image`
 */
export function decodeScans(
  bytes: Uint8Array,
  { components }: JpegFrame,
  decodeScan: (reader: BitReader, scan: JpegScan) => boolean,
): boolean {
  const decoded = new Set<number>();
  let truncated = false;
  walkJpeg(bytes, (_, scan, at) => {
    for (const { index } of scan.components) {
      if (decoded.has(index)) throw corruptImage(FORMATS.dicom.name, 'a component in two scans');
      decoded.add(index);
    }
    const reader = new BitReader(bytes, at);
    if (!decodeScan(reader, scan)) truncated = true;
    return reader.at;
  });
  if (decoded.size === 0) throw corruptImage(FORMATS.dicom.name, 'JPEG without a scan');
  return truncated || decoded.size < components.length;
}
