/** The readers of ours, each loaded when a worker meets its format for the first time. */
import type { FormatReader } from './format-reader.ts';
import type { InputFormat } from './formats.ts';

type Load = () => Promise<FormatReader>;

const READERS: Partial<Record<InputFormat, Load>> = {
  bmp: async () => (await import('./bmp-read.ts')).bmpReader,
  ico: async () => (await import('./ico-read.ts')).icoReader,
};

/** @returns undefined for the formats that libvips reads (loaders.ts) */
export async function readerOf(format: InputFormat): Promise<FormatReader | undefined> {
  return READERS[format]?.();
}
