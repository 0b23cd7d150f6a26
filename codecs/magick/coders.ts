/**
 * Chooses ImageMagick's coder by the definition of the format and the first bytes. ImageMagick's own detection is never
 * used, because it has coders that read URLs, other files and whole languages (HTTP, FILE, MVG, MSL, TEXT).
 */
import type { MagickCoder } from '../formats/format.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat, type MagickInput } from '../formats/registry.ts';

export const isMagickInput = (format: InputFormat): format is MagickInput => FORMATS[format].magick !== undefined;

export const CODERS = Object.fromEntries(
  INPUT_FORMATS.filter(isMagickInput).map((id) => [id, FORMATS[id].magick]),
) as Readonly<Record<MagickInput, MagickCoder>>;

/** Returns the coder for a file. */
export function coderOf(format: MagickInput, bytes: Uint8Array): string {
  const { coder } = CODERS[format];
  return typeof coder === 'string' ? coder : coder(bytes);
}

/** All coders that may run. */
export const ALLOWED_CODERS: readonly string[] = [
  ...new Set(
    Object.values(CODERS).flatMap(({ coder, calls = [] }) => [...(typeof coder === 'string' ? [coder] : []), ...calls]),
  ),
].sort();

export const nameOf = (format: MagickInput): string => FORMATS[format].name;
