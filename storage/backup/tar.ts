/**
 * Tar archives of regular files, as streams (POSIX.1-1988, "ustar"). Sizes of 8 GiB and more are in base 256, as GNU tar
 * and BSD tar write and read them.
 */

const BLOCK_BYTES = 512;
const MAX_NAME_BYTES = 100;

/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES);

/** Offset and length of the fields of a header. */
const FIELDS = {
  name: [0, MAX_NAME_BYTES],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const satisfies Record<string, readonly [number, number]>;

const REGULAR_FILE = '0';
const MAGIC = 'ustar\u000000';

/** The first byte of a size in base 256. */
const BASE_256 = 0x80;

/** What is wrong with an archive, as the end of a sentence: "ends early". */
export class TarError extends Error {}

/**
 * Returns the header that precedes the bytes of a file.
 * @param name at most 100 bytes
 * @param modifiedAt in milliseconds
 */
export function tarHeader(name: string, bytes: number, modifiedAt: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new RangeError(`Too long for a tar archive: ${name}`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const write = (field: keyof typeof FIELDS, text: string) => header.write(text, FIELDS[field][0]);
  const writeNumber = (field: keyof typeof FIELDS, value: number) =>
    write(field, value.toString(8).padStart(FIELDS[field][1] - 1, '0'));
  write('name', name);
  writeNumber('mode', 0o600);
  writeNumber('uid', 0);
  writeNumber('gid', 0);
  if (bytes < 8 ** 11) writeNumber('size', bytes);
  else {
    const [at, length] = FIELDS.size;
    header.writeUInt8(BASE_256, at);
    header.writeBigUInt64BE(BigInt(bytes), at + length - 8);
  }
  writeNumber('mtime', Math.floor(modifiedAt / 1000));
  write('type', REGULAR_FILE);
  write('magic', MAGIC);
  write('checksum', `${checksum(header).toString(8).padStart(6, '0')}\u0000 `);
  return header;
}

/** The empty bytes after the bytes of a file. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc(paddingBytes(bytes));

const paddingBytes = (bytes: number): number => (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;

/** The sum of the bytes of a header, with spaces in place of the sum. */
function checksum(header: Buffer): number {
  const [at, length] = FIELDS.checksum;
  let sum = length * 0x20;
  for (const [index, byte] of header.entries()) if (index < at || index >= at + length) sum += byte;
  return sum;
}

export interface TarEntry {
  name: string;
  bytes: number;
  /** To be read before the next entry; what is not read is skipped. */
  data: AsyncIterable<Uint8Array>;
}

/** Reads an archive. @throws TarError where it is not one of regular files, or ends early */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new ByteSource(chunks);
  for (;;) {
    const header = await source.read(BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return;
    const { name, bytes } = parseHeader(header);
    const data = source.take(bytes);
    yield { name, bytes, data };
    for await (const _ of data);
    await source.read(paddingBytes(bytes));
  }
}

function parseHeader(header: Buffer): Pick<TarEntry, 'name' | 'bytes'> {
  const text = (field: keyof typeof FIELDS): string => {
    const [at, length] = FIELDS[field];
    return header.toString('utf8', at, at + length).split('\u0000', 1)[0]!;
  };
  const isTar = text('magic').startsWith('ustar') && Number.parseInt(text('checksum'), 8) === checksum(header);
  if (!isTar) throw new TarError('is not a whole tar archive');
  const name = text('name');
  if (text('type') !== REGULAR_FILE) throw new TarError(`has the entry "${name}", which is not a regular file`);
  const [at, length] = FIELDS.size;
  const bytes =
    header[at] === BASE_256 ? Number(header.readBigUInt64BE(at + length - 8)) : Number.parseInt(text('size'), 8);
  if (!Number.isSafeInteger(bytes)) throw new TarError(`has the entry "${name}" without a size`);
  return { name, bytes };
}

/** Reads given numbers of bytes from a stream of chunks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async read(bytes: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.take(bytes)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Yields the next bytes in pieces of the stream. */
  async *take(bytes: number): AsyncGenerator<Uint8Array, void> {
    let left = bytes;
    while (left > 0) {
      if (this.#rest.byteLength === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) throw new TarError('ends early');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.byteLength);
      left -= part.byteLength;
      yield part;
    }
  }
}
