/** Converts the results of the engine into those of the library. */
import { FORMATS } from '../codecs/formats/registry.ts';
import type { ZipResult } from '../engine/operations/definition.ts';
import type { ImageResult } from '../engine/result.ts';
import type { ProcessedImage, ZipFile } from './types.ts';

export function imageOf(
  result: ImageResult,
  durationMs: number,
  facts: Readonly<Record<string, number>>,
): ProcessedImage {
  const { data, format, width, height, dpi, outcome, warnings, source, fingerprint, similarity } = result;
  return {
    data: new Uint8Array(data),
    ...{ format, contentType: FORMATS[format].contentTypes[0], width, height, dpi, outcome, warnings, source },
    durationMs,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(similarity === undefined ? {} : { similarity }),
    facts,
  };
}

export const zipOf = (
  { data, files, warnings }: Pick<ZipResult, 'data' | 'files' | 'warnings'>,
  durationMs: number,
): ZipFile => ({ data: new Uint8Array(data), files, warnings, durationMs });
