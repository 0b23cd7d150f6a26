/** Reads the ZIP of a package, as it is built here: stored and not compressed, without comments, of less than 4 GB. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ByteRange } from '../../../storage/files.ts';

/** PKWARE, ".ZIP File Format Specification", sections 4.3.16, 4.3.12 and 4.3.7: lengths without names and further fields. */
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const HEADER_BYTES = 30;
const ENTRY_SIGNATURE = 0x02014b50;

export interface PackedEntry {
  name: string;
  bytes: number;
  /** The content as a stream, which must be ended. */
  open(): Promise<Readable>;
}

/**
 * @param bytes of the ZIP
 * @param open gives a part of it
 */
export async function entriesOf(bytes: number, open: (range: ByteRange) => Promise<Readable>): Promise<PackedEntry[]> {
  const read = async (start: number, length: number) => await buffer(await open({ start, end: start + length - 1 }));
  const end = await read(bytes - END_BYTES, END_BYTES);
  const [size, start] = [end.readUInt32LE(12), end.readUInt32LE(16)];
  const directory = size > 0 ? await read(start, size) : Buffer.alloc(0);
  const entries: PackedEntry[] = [];
  for (let at = 0; at < directory.length && directory.readUInt32LE(at) === ENTRY_SIGNATURE; ) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const contentBytes = directory.readUInt32LE(at + 24);
    const header = directory.readUInt32LE(at + 42);
    entries.push({
      name: directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes),
      bytes: contentBytes,
      open: async () => {
        const own = await read(header, HEADER_BYTES);
        const content = header + HEADER_BYTES + own.readUInt16LE(26) + own.readUInt16LE(28);
        return await open({ start: content, end: content + contentBytes - 1 });
      },
    });
    at += ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
  }
  return entries;
}
