/**
 * Reads a ZIP file on disk through its central directory, without trusting its contents (PKWARE APPNOTE 6.3.10).
 * Entries are streamed one at a time and stop at their declared size, so a ZIP bomb cannot expand beyond that size.
 */
import type { FileHandle } from 'node:fs/promises';
import { createInflateRaw } from 'node:zlib';
import { packageInvalid } from '../errors.ts';
import { isSafePath } from './safe-path.ts';

export interface ZipEntry {
  name: string;
  /** Unpacked size. */
  bytes: number;
  packedBytes: number;
  isDeflated: boolean;
  /** Offset of the local header. */
  offset: number;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x1;
/** Unix file types, in the upper half of the external attributes. */
const UNIX = 3;
const KIND_MASK = 0o170000;
const KINDS = { file: 0o100000, folder: 0o040000 };

const CHUNK_BYTES = 256 * 1024;

/** Maximum size of the central directory: 65,535 files with the longest safe names and as much extra data. */
const MAX_DIRECTORY_BYTES = 32_000_000;

/**
 * Lists the files of a ZIP in order, without folders.
 * @param mostBytes maximum unpacked size of all files
 * @throws Failure `package_invalid`
 */
export async function readZipEntries(file: FileHandle, mostBytes: number): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const { count, offset, bytes } = await readEnd(file, size);
  const directory = await readExactly(file, offset, bytes);
  const entries: ZipEntry[] = [];
  const names = new Set<string>();
  let [at, total] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL_SIGNATURE) throw damaged();
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const end = at + CENTRAL_BYTES + nameBytes + extraBytes + commentBytes;
    if (end > directory.length) throw damaged();
    const name = decodeName(directory.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes));
    const entry = readCentral(directory.subarray(at, end), name);
    at = end;
    const path = name.endsWith('/') ? name.slice(0, -1) : name;
    if (!isSafePath(path)) throw packageInvalid(`a file with a name that is not safe: "${path.slice(0, 80)}"`);
    // Case-insensitive or Unicode-normalizing file systems would overwrite one file with the other.
    const same = path.normalize('NFC').toLowerCase();
    if (names.has(same)) throw packageInvalid(`two files with the same name: "${path}"`);
    names.add(same);
    if (name.endsWith('/')) continue;
    total += entry.bytes;
    if (total > mostBytes) throw packageInvalid(`more than ${mostBytes} bytes`);
    entries.push(entry);
  }
  rejectOverlaps(entries, offset);
  return entries;
}

async function readEnd(file: FileHandle, size: number): Promise<{ count: number; offset: number; bytes: number }> {
  const tail = await readExactly(file, Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES), undefined, size);
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE || at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length)
      continue;
    const [disk, firstDisk, here, count] = [4, 6, 8, 10].map((field) => tail.readUInt16LE(at + field));
    const [bytes, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    const isWhole = disk === 0 && firstDisk === 0 && here === count;
    if (!isWhole || offset + bytes > size - tail.length + at) throw damaged();
    if (bytes > MAX_DIRECTORY_BYTES) throw packageInvalid(`a ZIP file with a directory of ${bytes} bytes`);
    return { count: count!, offset, bytes };
  }
  throw packageInvalid('no ZIP file');
}

function readCentral(record: Buffer, name: string): ZipEntry {
  const flags = record.readUInt16LE(8);
  const method = record.readUInt16LE(10);
  const kind = record.readUInt8(5) === UNIX ? (record.readUInt32LE(38) >>> 16) & KIND_MASK : 0;
  const isFolder = name.endsWith('/');
  const [packedBytes, bytes] = [record.readUInt32LE(20), record.readUInt32LE(24)];
  if (flags & ENCRYPTED) throw packageInvalid(`a file that is encrypted: "${name}"`);
  if (kind !== 0 && kind !== (isFolder ? KINDS.folder : KINDS.file)) {
    throw packageInvalid(`a link or something else that is no file: "${name}"`);
  }
  if (method !== STORED && method !== DEFLATED) throw packageInvalid(`a file with another compression than deflate`);
  if ((isFolder || method === STORED) && packedBytes !== bytes) throw damaged();
  return { name, bytes, packedBytes, isDeflated: method === DEFLATED, offset: record.readUInt32LE(42) };
}

/** Rejects overlapping entries. With them, a small ZIP can expand without limit. */
function rejectOverlaps(entries: readonly ZipEntry[], directoryOffset: number): void {
  let free = directoryOffset;
  for (const { offset, packedBytes, name } of [...entries].sort((one, other) => other.offset - one.offset)) {
    if (offset + LOCAL_BYTES + Buffer.byteLength(name) + packedBytes > free) throw damaged();
    free = offset;
  }
}

/**
 * Streams the bytes of an entry.
 * @throws Failure `package_invalid` if the size differs from the directory's, or the data cannot be unpacked
 */
export async function* openZipEntry(file: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  const header = await readExactly(file, entry.offset, LOCAL_BYTES);
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw damaged();
  const nameBytes = header.readUInt16LE(26);
  const name = decodeName(await readExactly(file, entry.offset + LOCAL_BYTES, nameBytes));
  if (name !== entry.name) throw damaged();
  const start = entry.offset + LOCAL_BYTES + nameBytes + header.readUInt16LE(28);
  let bytes = 0;
  for await (const chunk of entry.isDeflated
    ? inflated(file, start, entry.packedBytes)
    : readRange(file, start, entry.bytes)) {
    bytes += chunk.length;
    if (bytes > entry.bytes) throw packageInvalid(`a file that is larger than it says: "${entry.name}"`);
    yield chunk;
  }
  if (bytes !== entry.bytes) throw packageInvalid(`a file that is smaller than it says: "${entry.name}"`);
}

async function* readRange(file: FileHandle, start: number, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    yield await readExactly(file, start + at, Math.min(CHUNK_BYTES, bytes - at));
  }
}

async function* inflated(file: FileHandle, start: number, bytes: number): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw();
  const feeding = (async () => {
    for await (const chunk of readRange(file, start, bytes)) {
      if (inflate.destroyed) return;
      if (!inflate.write(chunk)) await new Promise((resolve) => inflate.once('drain', resolve).once('close', resolve));
    }
    inflate.end();
  })();
  feeding.catch((error: Error) => inflate.destroy(error));
  try {
    for await (const chunk of inflate) yield chunk as Buffer;
  } catch (error) {
    const isZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isZlib ? packageInvalid('a file that cannot be unpacked', error) : error;
  } finally {
    inflate.destroy();
    await feeding.catch(() => {});
  }
}

function decodeName(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw packageInvalid('a file with a name that is not UTF-8', error);
  }
}

async function readExactly(file: FileHandle, position: number, bytes?: number, end?: number): Promise<Buffer> {
  const length = bytes ?? (end ?? position) - position;
  const buffer = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw damaged();
    filled += bytesRead;
  }
  return buffer;
}

const damaged = (): Error => packageInvalid('a ZIP file that is damaged');
