/**
 * The original of a content to be converted. It is read again for each result, so that no memory holds it in between.
 */
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import type { ScanContext } from '../runner/context.ts';
import type { ConversionStore } from './conversion-store.ts';
import { refetch } from './refetch.ts';

/** The original cannot be converted now. The keeper has already stored what happens to it. */
export class OriginalUnavailable extends Error {}

export class Original {
  readonly #context: ScanContext;
  readonly #keeper: ConversionStore;
  readonly #asset: SiteAsset;
  /** Numbers of the assets under which the original may be stored. */
  readonly #seqs: ReadonlySet<number>;

  /** @param all all assets with this content */
  constructor(context: ScanContext, keeper: ConversionStore, asset: SiteAsset, all: readonly SiteAsset[]) {
    this.#context = context;
    this.#keeper = keeper;
    this.#asset = asset;
    this.#seqs = new Set([asset.seq, ...all.map(({ seq }) => seq)]);
  }

  /**
   * Reads the bytes from storage, or fetches them again.
   * @throws OriginalUnavailable when the bytes have changed or no more may be fetched; Failure of the fetch, `storage_full`
   */
  async read(): Promise<ArrayBuffer> {
    const { originals, scan, signal } = this.#context;
    for (const seq of this.#seqs) {
      const kept = await originals.read(scan.id, seq);
      if (kept) return kept;
    }
    if (this.#keeper.bytesLeft <= 0) {
      await this.#keeper.leave(this.#asset);
      throw new OriginalUnavailable();
    }
    const { data, receivedBytes, changes } = await refetch(this.#context, this.#asset);
    await this.#keeper.received(this.#asset, receivedBytes, changes);
    signal.throwIfAborted();
    // Stored so that all results are made from the same bytes: the website may send something else every time.
    await originals.put(scan.id, this.#asset.seq, data);
    if (changes) throw new OriginalUnavailable();
    return data;
  }
}
