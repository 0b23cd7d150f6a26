/** The original of a content that is converted: read anew for each result, so that nothing holds it in between. */
import type { SiteAsset } from '../../../storage/repositories/site-outputs.ts';
import type { ScanContext } from '../runner/context.ts';
import type { Keeper } from './keeper.ts';
import { refetch } from './refetch.ts';

/** The original cannot be converted now; the keeper knows what becomes of it. */
export class Postponed extends Error {}

export class Original {
  readonly #context: ScanContext;
  readonly #keeper: Keeper;
  readonly #asset: SiteAsset;
  /** Numbers under which it may be kept. */
  readonly #seqs: ReadonlySet<number>;

  /** @param all assets of its content */
  constructor(context: ScanContext, keeper: Keeper, asset: SiteAsset, all: readonly SiteAsset[]) {
    this.#context = context;
    this.#keeper = keeper;
    this.#asset = asset;
    this.#seqs = new Set([asset.seq, ...all.map(({ seq }) => seq)]);
  }

  /**
   * The bytes, kept or fetched again.
   * @throws Postponed when there are others now, or no more may be fetched; Failure of the fetch, `storage_full`
   */
  async read(): Promise<ArrayBuffer> {
    const { originals, scan, signal } = this.#context;
    for (const seq of this.#seqs) {
      const kept = await originals.read(scan.id, seq);
      if (kept) return kept;
    }
    if (this.#keeper.bytesLeft <= 0) {
      await this.#keeper.leave(this.#asset);
      throw new Postponed();
    }
    const { data, receivedBytes, changes } = await refetch(this.#context, this.#asset);
    await this.#keeper.received(this.#asset, receivedBytes, changes);
    signal.throwIfAborted();
    // What was fetched is what is converted: the website may send something else every time.
    await originals.put(scan.id, this.#asset.seq, data);
    if (changes) throw new Postponed();
    return data;
  }
}
