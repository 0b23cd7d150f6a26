/** Loads the codec of a format when a worker meets the format for the first time. */
import type { FormatCodec } from '../format-codec.ts';
import type { FormatId } from './registry.ts';

/** Compiled in production, TypeScript in development. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

const loaded = new Map<FormatId, FormatCodec>();

export async function loadCodec(format: FormatId): Promise<FormatCodec> {
  const known = loaded.get(format);
  if (known) return known;
  // Every folder of a format has this file (test/codecs/formats/registry.test.ts). Bundlers cannot follow the address,
  // which keeps one file per module.
  const { codec } = (await import(new URL(`./${format}/codec${EXTENSION}`, import.meta.url).href)) as {
    codec: FormatCodec;
  };
  loaded.set(format, codec);
  return codec;
}
