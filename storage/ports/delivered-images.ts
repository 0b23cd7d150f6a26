import type { CachedFile, DeliveredImage } from '../records/delivered-images.ts';

/** Which images of an account: those of one source, of all sources that begin with a text, with a tag, or all. */
export type ImagesOf = { source: string } | { prefix: string } | { tag: string } | { all: true };

export interface DeliveredImages {
  find(key: string): Promise<DeliveredImage | undefined>;
  /** Inserts an image, or replaces the one with the same key. Returns the file that it replaced. */
  put(image: DeliveredImage): Promise<CachedFile | undefined>;
  /** Records that images were used. */
  touch(keys: readonly string[], usedAt: string): Promise<void>;
  /** The images that were not used for the longest time, at most `max`. */
  leastUsed(max: number): Promise<CachedFile[]>;
  /** At most `max` images of an account. */
  some(accountId: string, which: ImagesOf, max: number): Promise<CachedFile[]>;
  /** Removes images, unless they have been replaced: the files must be theirs. Returns those that it removed. */
  remove(images: readonly CachedFile[]): Promise<CachedFile[]>;
  /** Those of the files that no image has. */
  unknownFiles(fileIds: readonly string[]): Promise<string[]>;
  /** Of all accounts, or of one. */
  total(accountId?: string): Promise<{ images: number; bytes: number }>;
}
