/** Writes the results of a job as one ZIP while it is read, so that it is never held in memory. */
import type { Readable } from 'node:stream';
import { Zip, ZipPassThrough } from 'fflate';

export interface ArchiveEntry {
  /** Suggested name. If it is already used, a number is added. */
  filename: string;
  open(): Promise<Readable>;
}

/**
 * Writes a ZIP without compression, because images are already compressed.
 * @param modified modification time of every file
 */
export async function* archiveOf(entries: readonly ArchiveEntry[], modified: Date): AsyncGenerator<Uint8Array> {
  const written: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    failure = error;
    if (!error) written.push(chunk);
  });
  const names = new Set<string>();
  for (const entry of entries) {
    const file = new ZipPassThrough(unusedName(names, entry.filename));
    file.mtime = modified;
    zip.add(file);
    for await (const chunk of await entry.open()) {
      file.push(chunk as Uint8Array);
      yield* written.splice(0);
    }
    file.push(new Uint8Array(0), true);
    if (failure) throw failure;
  }
  zip.end();
  yield* written.splice(0);
}

/** Returns `photo.webp`, then `photo (2).webp`. Ignores case, because not every file system distinguishes it. */
function unusedName(names: Set<string>, filename: string): string {
  const dot = filename.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [filename.slice(0, dot), filename.slice(dot)] : [filename, ''];
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? filename : `${stem} (${number})${extension}`;
    if (names.has(name.toLowerCase())) continue;
    names.add(name.toLowerCase());
    return name;
  }
}
