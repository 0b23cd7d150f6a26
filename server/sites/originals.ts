/**
 * The originals of a scan between their fetch and their conversion, so that nothing is fetched twice: in a private folder,
 * each until it has been converted or need not be.
 */
import { join } from 'node:path';
import { type FileStore, LocalFiles, type StorageRoom } from '../../storage/files.ts';
import { receive } from '../http/received.ts';

const NAME = /^(?<scanId>.+)_[0-9]+$/;

export class ScanOriginals {
  readonly #files: FileStore;

  constructor(files: FileStore) {
    this.#files = files;
  }

  static async open(dataDir: string, room: StorageRoom): Promise<ScanOriginals> {
    const files = await LocalFiles.open(join(dataDir, 'scans'), room);
    // Nothing is being written yet: what is there was left by a process that was killed.
    await files.removeLeftovers(Number.POSITIVE_INFINITY);
    return new ScanOriginals(files);
  }

  /** @throws Failure `storage_full` */
  async put(scanId: string, assetSeq: number, data: ArrayBuffer): Promise<void> {
    await this.#files.put(`${scanId}_${assetSeq}`, new Uint8Array(data));
  }

  /** The bytes, or undefined when they are not kept. */
  async read(scanId: string, assetSeq: number): Promise<ArrayBuffer | undefined> {
    const stream = await this.#files.open(`${scanId}_${assetSeq}`);
    return stream && (await receive(stream, Number.POSITIVE_INFINITY));
  }

  async remove(scanId: string, assetSeq: number): Promise<void> {
    await this.#files.remove(`${scanId}_${assetSeq}`);
  }

  /** Removes what is kept of the scans that `isRemoved` names. */
  async removeAll(isRemoved: (scanId: string) => boolean): Promise<void> {
    for (const name of [...this.#files.ids()])
      if (isRemoved(NAME.exec(name)?.groups?.scanId ?? '')) await this.#files.remove(name);
  }
}
