/** A result of converting an asset. */
export interface SiteOutput {
  scanId: string;
  assetSeq: number;
  /** Such as `o1`, `w800`, `c2`. */
  id: string;
  kind: 'optimized' | 'variant' | 'candidate';
  filename: string;
  format: string;
  bytes: number;
  width: number;
  height: number;
  quality: number | null;
  similarity: number | null;
  sha256: string;
  fileId: string;
}

/** The id of the output in full size, made when the chosen one is resized. */
export const UNRESIZED_ID = 'f1';

/** The ids of the AVIF files made beside WebP files: for the chosen output, and for the output in full size. */
export const AVIF_ID = 'a1';

export const UNRESIZED_AVIF_ID = 'a2';

/** Outputs listed beside the chosen one in the replacement map. */
export const EXTRA_OUTPUT_IDS: readonly string[] = [UNRESIZED_ID, AVIF_ID, UNRESIZED_AVIF_ID];
