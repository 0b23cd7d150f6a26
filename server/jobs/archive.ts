/** The results of a job as one ZIP, written while it is read: nothing of it is held. */
import type { Readable } from 'node:stream';
import { Zip, ZipPassThrough } from 'fflate';

export interface ArchiveEntry {
  /** Suggested name; one that is taken already gets a number. */
  filename: string;
  open(): Promise<Readable>;
}

/**
 * Stored and not compressed: pictures are.
 * @param modified recorded of every file
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

/** `photo.webp`, then `photo (2).webp`; also where two names differ only in their case, which not every system tells apart. */
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
