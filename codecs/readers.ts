/** The readers of ours, each loaded when a worker meets its format for the first time. */
import type { FormatReader } from './format-reader.ts';
import type { InputFormat } from './formats.ts';

interface LazyReader {
  load(): Promise<FormatReader>;
  /** Files of other packages that it cannot do without. */
  needs: readonly string[];
}

const ours = (load: LazyReader['load'], ...needs: string[]): LazyReader => ({ load, needs });

export const READERS: Partial<Record<InputFormat, LazyReader>> = {
  bmp: ours(async () => (await import('./windows-readers.ts')).bmpReader),
  ico: ours(async () => (await import('./windows-readers.ts')).icoReader),
};
