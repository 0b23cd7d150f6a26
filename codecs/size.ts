/** Sizes in the headers of files. */
import { Failure } from '../base/failure.ts';

export interface Size {
  width: number;
  height: number;
  /** Frames of an animation; undefined where they cannot be counted. */
  frames?: number | undefined;
}

/** @returns undefined when the header does not contain the size or cannot be read */
export function trySize(read: () => Size | undefined): Size | undefined {
  try {
    const size = read();
    return size && size.width * size.height > 0 ? size : undefined;
  } catch (error) {
    // The Reader throws a Failure when the file ends before its header does.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

export function largest(sizes: readonly Size[]): Size | undefined {
  return sizes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
}
