/**
 * Loads the codec of a format when a worker meets the format for the first time. Which file it is in follows from the
 * definition:
 * - `codec.ts` exports `codec`, for formats that libvips reads or that can be written;
 * - of the others, those that ImageMagick reads have no file;
 * - `read.ts` exports our own `reader`, or `still`, which the common reader of single images uses.
 */
import type { FormatCodec } from '../format-codec.ts';
import { type StillFormat, type StillHeader, stillReader } from '../legacy/still.ts';
import { isMagickInput } from '../magick/coders.ts';
import { FORMATS, type FormatId } from './registry.ts';

/** Compiled in production, TypeScript in development. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

const loaded = new Map<FormatId, FormatCodec>();

export async function loadCodec(format: FormatId): Promise<FormatCodec> {
  const codec = loaded.get(format) ?? (await importCodec(format));
  loaded.set(format, codec);
  return codec;
}

async function importCodec(format: FormatId): Promise<FormatCodec> {
  const { name, loader, output, magick } = FORMATS[format];
  if (loader || output) return (await importFile<{ codec: FormatCodec }>(format, 'codec')).codec;
  if (isMagickInput(format) && !magick?.partly) {
    return { reader: (await import('../magick/read.ts')).magickReader(format) };
  }
  const { still, ...codec } = await importFile<FormatCodec & { still?: StillFormat<StillHeader> }>(format, 'read');
  return still ? { reader: stillReader(name, still) } : codec;
}

/** Bundlers cannot follow the address, which keeps one file per module. */
const importFile = <Module>(format: FormatId, file: string): Promise<Module> =>
  import(new URL(`./${format}/${file}${EXTENSION}`, import.meta.url).href);
