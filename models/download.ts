/** Fetches models: resumes earlier downloads, checks the file on the disk, and moves it into place atomically. */
import { statfs } from 'node:fs/promises';
import { Failure } from '../base/failure.ts';
import type { CatalogueModel } from './catalogue.ts';
import { PartialDownload } from './download-part.ts';
import { type DownloadResponse, request } from './download-response.ts';
import { folderUnusable, isNoRoom, modelNotFetched, noRoom } from './errors.ts';
import { checksumOf, findModelFile, modelPath } from './installed.ts';

export interface PullOptions {
  /** Folder of the installed models. Created if it does not exist. */
  folder: string;
  /** URL of a folder that has the files, used instead of the models' own addresses. */
  mirror?: string | undefined;
  signal?: AbortSignal;
  /** Called with the bytes received so far and all bytes of the file. */
  onProgress?: (received: number, total: number) => void;
  /** Maximum time without a byte, in milliseconds. */
  stallMs?: number;
}

const STALL_MS = 30_000;

/**
 * Installs a model if it is missing. Parallel calls, in this process or in others, are safe: each has its own part.
 * @returns the path of the model
 * @throws Failure with what was received instead, or why it cannot be stored; the reason of `signal`
 */
export async function pullModel(model: CatalogueModel, options: PullOptions): Promise<string> {
  const { folder } = options;
  const present = await findModelFile(model, folder);
  if (present !== undefined) return present;
  const path = modelPath(model, folder);
  try {
    const part = await PartialDownload.claim(folder, model.id);
    try {
      await fetchInto(part, model, options);
      await part.place(path);
    } catch (error) {
      // Free the space if the disk is full.
      if (isNoRoom(error)) await part.clear().catch(() => {});
      await part.release().catch(() => {});
      throw error;
    }
    return path;
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error instanceof Failure ? error : folderUnusable(folder, error);
  }
}

/** Resolves when the part is the whole file. */
async function fetchInto(part: PartialDownload, model: CatalogueModel, options: PullOptions): Promise<void> {
  const address = addressOf(model, options.mirror);
  const resumed = part.bytes > 0;
  let isWhole = await receive(part, model, address, options);
  if (!isWhole && resumed) {
    // Bytes received at another time or from another server do not match this file.
    await part.clear();
    isWhole = await receive(part, model, address, options);
  }
  if (isWhole) return;
  await part.clear();
  throw modelNotFetched(model, address, 'a file with another checksum');
}

/** The mirror has each file under the same name as at its own address. */
const addressOf = ({ address }: CatalogueModel, mirror: string | undefined): string =>
  mirror === undefined ? address : mirror + address.slice(address.lastIndexOf('/'));

/** @returns whether the part is the file now */
async function receive(
  part: PartialDownload,
  model: CatalogueModel,
  address: string,
  { folder, signal, onProgress, stallMs = STALL_MS }: PullOptions,
): Promise<boolean> {
  const sizes = model.files.map(({ bytes }) => bytes);
  const largest = Math.max(...sizes);
  const fail = (received: string, cause?: unknown) => {
    const rest = part.bytes > 0 ? `, after ${part.bytes} bytes from which the next pull goes on` : '';
    return modelNotFetched(model, address, received + rest, cause);
  };

  const take = async ({ start, total, etag, chunks }: DownloadResponse): Promise<true> => {
    if (total !== undefined && !sizes.includes(total)) throw fail(`a file of ${total} bytes`);
    if (start === 0) await part.clear(etag);
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      if (part.bytes + chunk.byteLength > largest) {
        await part.clear();
        throw fail(`more than ${largest} bytes`);
      }
      await part.append(chunk);
      onProgress?.(part.bytes, total ?? model.files[0].bytes);
    }
    return true;
  };

  // An earlier download may have ended between the last byte and the check.
  if (!sizes.includes(part.bytes)) {
    await checkDiskSpace(folder, largest - part.bytes);
    const query = { address, from: part.bytes, etag: await part.etag(), stallMs, signal, fail };
    if (!(await request(query, take))) return false;
  }
  if (!sizes.includes(part.bytes)) {
    const { bytes } = part;
    await part.clear();
    throw fail(`a file of ${bytes} bytes`);
  }
  const checksum = await checksumOf(part.path);
  return model.files.some(({ sha256 }) => sha256 === checksum);
}

/** Checked before the first byte, so that the download does not fill the disk for everybody else. */
async function checkDiskSpace(folder: string, needed: number): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(folder);
  // Some file systems do not report their size.
  if (blocks > 0 && bavail * bsize < needed) throw noRoom(folder, needed, bavail * bsize);
}
