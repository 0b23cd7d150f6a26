import type { SiteAsset } from '../records/site-assets.ts';
import type { SiteOutput } from '../records/site-outputs.ts';

/** The displayed sizes in the places of assets. */
export interface DisplayedSizes {
  /** Number of places whose attributes or style give a size that no style sheet can enlarge. */
  known: number;
  /** Number of places whose size is guessed or unknown, or that offer other sizes too. */
  unknown: number;
  /** The largest of the known sizes. */
  width: number | null;
  height: number | null;
}

/** Reads and stores the state of conversions: wanted assets and their results. */
export interface SiteOutputs {
  /** Marks all ready assets as wanted. */
  markReadyAsWanted(scanId: string): Promise<void>;
  countWanted(scanId: string): Promise<number>;
  /** The next wanted assets after a number, ordered by number. */
  wanted(scanId: string, after: number, limit: number): Promise<SiteAsset[]>;
  /** Fetched assets with this content hash. */
  ofContent(scanId: string, sha256: string): Promise<SiteAsset[]>;
  /** Assets by their numbers. */
  some(scanId: string, seqs: readonly number[]): Promise<SiteAsset[]>;
  /** Called when an asset's content has changed: its former duplicates become duplicates of the first of them. */
  nameAnotherFirst(scanId: string, asset: Pick<SiteAsset, 'seq' | 'sha256'>): Promise<void>;
  /** Summarizes the sizes in the places of assets, including pages that were not scanned. */
  placeFacts(scanId: string, seqs: readonly number[]): Promise<DisplayedSizes>;
  change(scanId: string, seqs: readonly number[], changes: Partial<SiteAsset>): Promise<void>;
  /** Outputs of an asset, ordered by id. */
  of(scanId: string, assetSeq: number): Promise<SiteOutput[]>;
  /**
   * Replaces the outputs of an asset. Files that no output uses any more expire. Must be called in a transaction.
   * @param expiresAt the expiry time of those files
   */
  replace(scanId: string, assetSeq: number, outputs: readonly SiteOutput[], expiresAt: string): Promise<void>;
  /** Chooses an output and makes the former choice a candidate. Must be called in a transaction. */
  choose(scanId: string, assetSeq: number, id: string): Promise<void>;
  /** Skips all wanted assets, or one of them. Earlier results are kept. */
  leaveWanted(scanId: string, seq?: number): Promise<void>;
  countCharge(scanId: string): Promise<void>;
}
