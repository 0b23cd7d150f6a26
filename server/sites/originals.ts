/**
 * Stores the originals of a scan between their fetch and their conversion, so that nothing is fetched twice. They are
 * in a private folder, each until it has been converted or is no longer needed.
 */
import type { FileStore, OpenFileStore } from '../../storage/ports/file-store.ts';
import { receive } from '../http/response-body.ts';

const NAME = /^(?<scanId>.+)_[0-9]+$/;

export class ScanOriginals {
  readonly #files: FileStore;

  constructor(files: FileStore) {
    this.#files = files;
  }

  static async open(openFiles: OpenFileStore): Promise<ScanOriginals> {
    return new ScanOriginals(await openFiles('scans'));
  }

  /** @throws Failure `storage_full` */
  async put(scanId: string, assetSeq: number, data: ArrayBuffer): Promise<void> {
    await this.#files.put(`${scanId}_${assetSeq}`, new Uint8Array(data));
  }

  /** The bytes, or undefined when they are not stored. */
  async read(scanId: string, assetSeq: number): Promise<ArrayBuffer | undefined> {
    const stream = await this.#files.open(`${scanId}_${assetSeq}`);
    return stream && (await receive(stream, Number.POSITIVE_INFINITY));
  }

  async remove(scanId: string, assetSeq: number): Promise<void> {
    await this.#files.remove(`${scanId}_${assetSeq}`);
  }

  /** Removes all originals of a scan. */
  async removeAll(scanId: string): Promise<void> {
    for await (const name of this.#files.ids(`${scanId}_`)) await this.#files.remove(name);
  }

  /** Removes the originals of scans that do not run, left by a crash. @param openIds lists the scans that run */
  async removeOrphanFiles(openIds: () => Promise<ReadonlySet<string>>): Promise<void> {
    const present = await this.#files.settledIds();
    if (present.length === 0) return;
    const open = await openIds();
    for (const name of present) if (!open.has(NAME.exec(name)?.groups?.scanId ?? '')) await this.#files.remove(name);
  }

  /** Removes what a crash has left of originals that were being written. */
  async removeLeftovers(now: number): Promise<void> {
    await this.#files.removeLeftovers(now);
  }
}
