import type { InputFormat } from '../../codecs/formats.ts';

/** A small file that takes much work or memory to read. */
export interface Bomb {
  /** Unique; says what the file contains. */
  name: string;
  family: string;
  /** The decoder that it is meant for. */
  format: InputFormat;
  /** For formats that are recognised by the name of the file. */
  filename?: string;
  /** Makes the file, the same bytes every time. */
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
