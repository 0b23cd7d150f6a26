/** Makes a file larger without touching its image, for portals that require a minimum file size. */
import { OUTPUTS, type OutputFormat } from '../formats/registry.ts';

/**
 * Pads a file to exactly `minBytes`. When less is missing than the smallest addition of the format, the file grows by
 * that. Returns files of formats that cannot be padded unchanged.
 * @throws Failure `corrupt_image`
 */
export function padTo(format: OutputFormat, bytes: Uint8Array, minBytes: number): Uint8Array {
  const missing = minBytes - bytes.length;
  return missing <= 0 ? bytes : (OUTPUTS[format].pad?.(bytes, missing) ?? bytes);
}
