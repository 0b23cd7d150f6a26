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
    const files = await openFiles('scans');
    // At this point nothing is being written: existing partial files were left by a killed process.
    await files.removeLeftovers(Number.POSITIVE_INFINITY);
    return new ScanOriginals(files);
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

  /** Removes the originals of all scans for which `isRemoved` returns true. */
  async removeAll(isRemoved: (scanId: string) => boolean): Promise<void> {
    for (const name of [...this.#files.ids()])
      if (isRemoved(NAME.exec(name)?.groups?.scanId ?? '')) await this.#files.remove(name);
  }
}
