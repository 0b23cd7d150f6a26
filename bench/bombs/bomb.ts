import type { InputFormat } from '../../codecs/formats/registry.ts';

/** A small file that takes much work or memory to read. */
export interface Bomb {
  /** Unique name that describes the content. */
  name: string;
  family: string;
  /** The decoder under attack. */
  format: InputFormat;
  /** For formats that are detected by the file name. */
  filename?: string;
  /** Makes the file; the bytes are the same every time. */
  make(): Uint8Array | Promise<Uint8Array>;
}

type Makers = Readonly<Record<string, Bomb['make']>>;

/** The bombs of one family and format, by name. */
export function bombs(family: string, format: InputFormat, makers: Makers, filename?: string): Bomb[] {
  return Object.entries(makers).map(([name, make]) => ({
    name: `${format}: ${name}`,
    family,
    format,
    make,
    ...(filename === undefined ? {} : { filename }),
  }));
}
