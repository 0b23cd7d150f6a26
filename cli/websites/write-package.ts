/** Writes the package of a scan to disk, as a folder or as a ZIP file. */
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../base/failure.ts';
import { openZipEntry, readZipEntries } from '../../codemod/package/zip.ts';
import { DOWNLOADS } from '../../replacement-package/layout.ts';
import { exists, temporaryPath } from '../files.ts';
import { outputFailed, outputTaken, packageMissing } from './errors.ts';
import type { EndedScan } from './run-scan.ts';

/** Maximum size of a ZIP without the ZIP64 extension. */
const MAX_ZIP_BYTES = 2 ** 32;

export interface Written {
  path: string;
  files: number;
  bytes: number;
}

/**
 * Checks the output folder before the scan, so that the command does not fail only after it.
 * @throws Failure if the folder is not empty
 */
export async function checkOutput(path: string): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw outputTaken(path);
  });
  if (names.length > 0) throw outputTaken(path);
}

/**
 * Writes every file of the package and overwrites existing files. Nothing is moved into place before all are written.
 */
export async function writeFolder(ended: EndedScan, folder: string): Promise<Written> {
  const { services, signal } = ended;
  const isThere = await exists(folder);
  // An existing folder may be a mount point or the working directory, so it is kept and not replaced.
  const whole = temporaryPath(isThere ? join(folder, 'package') : folder);
  const place = join(services.config.dataDir, 'package.zip');
  await writeDownload(ended, 'zip', place);
  const zip = await open(place);
  try {
    const entries = await readZipEntries(zip, MAX_ZIP_BYTES);
    let bytes = 0;
    for (const entry of entries) {
      const path = join(whole, entry.name);
      await makeParent(path);
      await writeFile(path, Readable.from(openZipEntry(zip, entry)), signal);
      bytes += entry.bytes;
    }
    if (!isThere) await moveTo(whole, folder);
    else for (const { name } of entries) await moveTo(join(whole, name), join(folder, name));
    return { path: folder, files: entries.length, bytes };
  } finally {
    await zip.close();
    await rm(whole, { recursive: true, force: true });
  }
}

async function makeParent(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  await mkdir(folder, { recursive: true }).catch((error) => Promise.reject(outputFailed(folder, error)));
}

async function moveTo(from: string, to: string): Promise<void> {
  await makeParent(to);
  await rename(from, to).catch((error) => Promise.reject(outputFailed(to, error)));
}

export const writeZip = async (ended: EndedScan, path: string): Promise<Written> => ({
  path,
  files: 1,
  bytes: await writeDownload(ended, 'zip', path),
});

export async function writeReport(ended: EndedScan, path: string): Promise<void> {
  await writeDownload(ended, 'reportHtml', path);
}

async function writeDownload(ended: EndedScan, name: keyof typeof DOWNLOADS, path: string): Promise<number> {
  const { fileId: id, bytes } = await downloadOf(ended, name);
  await makeParent(path);
  await writeFile(path, await ended.services.results.open({ id }), ended.signal);
  return bytes;
}

async function downloadOf({ scan, services }: EndedScan, name: keyof typeof DOWNLOADS) {
  const download = await services.database.siteDownloads.find(scan.id, DOWNLOADS[name]);
  if (!download) throw packageMissing();
  return download;
}

/** Writes a text file, replacing an existing one. */
export async function writeText(path: string, parts: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  await makeParent(path);
  await writeFile(path, Readable.from(parts), signal);
}

/** Writes a temporary file and renames it, so that no partial file is visible. */
async function writeFile(path: string, content: Readable, signal: AbortSignal): Promise<void> {
  const part = temporaryPath(path);
  try {
    await pipeline(content, createWriteStream(part, { flags: 'wx' }), { signal });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    signal.throwIfAborted();
    throw error instanceof Failure ? error : outputFailed(path, error);
  }
}
