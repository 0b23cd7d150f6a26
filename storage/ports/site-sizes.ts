/** A place whose page gives the displayed size of an image. */
export interface SizedPlace {
  seq: number;
  element: number | null;
  displayedWidth: number | null;
  displayedHeight: number | null;
}

/** Reads and stores whether the sizes that pages give to images are certain. */
export interface SiteSizes {
  /** The next pages that were read, as numbers of sources. */
  pages(scanId: string, afterSeq: number, limit: number): Promise<number[]>;
  /** Places of a source that give a size. */
  places(scanId: string, sourceSeq: number): Promise<SizedPlace[]>;
  /** Numbers of the style sheets that a source links directly or indirectly, read or not. */
  stylesheets(scanId: string, sourceSeq: number): Promise<number[]>;
  /** The size rules of a source, as JSON; null when they are unknown. */
  sizing(scanId: string, sourceSeq: number): Promise<string | null>;
  /**
   * Marks the sizes of these places of a source as certain, and those of all its other places as uncertain. Must be
   * called in a transaction.
   */
  setCertain(scanId: string, sourceSeq: number, seqs: readonly number[]): Promise<void>;
}
