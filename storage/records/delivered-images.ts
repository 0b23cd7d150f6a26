/** An image that was made for an address, kept in the cache. */
export interface DeliveredImage {
  /** SHA-256 in hex of everything that determines the result: account, options, source and accepted formats. */
  key: string;
  accountId: string;
  /** Its file in the store. */
  fileId: string;
  /** The address of the source, or `store:name/path`. */
  source: string;
  tag: string | null;
  filename: string;
  contentType: string;
  format: string;
  width: number;
  height: number;
  bytes: number;
  /** Of the file, in hex. */
  sha256: string;
  createdAt: string;
  /** From then on it is made again. */
  expiresAt: string;
  /** Accurate to the minute. */
  usedAt: string;
}

/** What an image takes, and where. */
export type CachedFile = Pick<DeliveredImage, 'key' | 'fileId' | 'bytes'>;
