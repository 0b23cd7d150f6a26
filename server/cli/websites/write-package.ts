/** The package of a scan on the disk: as a folder, or as one ZIP. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../../base/failure.ts';
import { DOWNLOADS } from '../../sites/downloads.ts';
import { outputFailed, outputTaken, packageMissing, unsafeName } from './errors.ts';
import type { EndedScan } from './run-scan.ts';
import { entriesOf } from './unpack.ts';

export interface Written {
  path: string;
  files: number;
  bytes: number;
}

/**
 * Refuses before the work what would be refused after it.
 * @throws Failure where a folder has something in it already
 */
export async function checkOutput(path: string): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw outputTaken(path);
  });
  if (names.length > 0) throw outputTaken(path);
}

/** Writes every file of the package; one that is there is written over. */
export async function writeFolder(ended: EndedScan, folder: string): Promise<Written> {
  const { services, signal } = ended;
  const { fileId: id, bytes } = await downloadOf(ended, 'zip');
  const entries = await entriesOf(bytes, (range) => services.results.open({ id }, range));
  let written = 0;
  for (const { name, bytes: size, open } of entries) {
    const path = pathBelow(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, size === 0 ? Readable.from([]) : await open(), signal);
    written += size;
  }
  return { path: folder, files: entries.length, bytes: written };
}

export async function writeZip(ended: EndedScan, path: string): Promise<Written> {
  return { path, files: 1, bytes: await writeDownload(ended, 'zip', path) };
}

export async function writeReport(ended: EndedScan, path: string): Promise<void> {
  await writeDownload(ended, 'reportHtml', path);
}

async function writeDownload(ended: EndedScan, name: keyof typeof DOWNLOADS, path: string): Promise<number> {
  const { fileId: id, bytes } = await downloadOf(ended, name);
  await mkdir(dirname(resolve(path)), { recursive: true });
  await writeFile(path, await ended.services.results.open({ id }), ended.signal);
  return bytes;
}

async function downloadOf({ scan, services }: EndedScan, name: keyof typeof DOWNLOADS) {
  const download = await services.database.siteDownloads.find(scan.id, DOWNLOADS[name]);
  if (!download) throw packageMissing();
  return download;
}

/** Nobody sees a part of it under its name. */
async function writeFile(path: string, content: Readable, signal: AbortSignal): Promise<void> {
  const part = `${path}.part`;
  try {
    await pipeline(content, createWriteStream(part), { signal });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    signal.throwIfAborted();
    throw error instanceof Failure ? error : outputFailed(path, error);
  }
}

/** Names of a package are safe; that nothing is written elsewhere does not hang on it. */
function pathBelow(folder: string, name: string): string {
  const path = resolve(folder, name);
  if (!path.startsWith(resolve(folder) + sep)) throw unsafeName(name);
  return path;
}
