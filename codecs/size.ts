/** Sizes of images, and sizes in the headers of files. */

import { Failure } from '../base/failure.ts';
import type { Size } from '../base/geometry.ts';

export interface FileSize extends Size {
  /** Frames of an animation; undefined where they cannot be counted. */
  frames?: number | undefined;
  /** Pages of a document, where they are counted. Default: 1. */
  pages?: number;
}

/** @returns undefined when the header does not contain the size or cannot be read */
export function trySize(read: () => FileSize | undefined): FileSize | undefined {
  try {
    const size = read();
    return size && size.width * size.height > 0 ? size : undefined;
  } catch (error) {
    // The Reader throws a Failure when the file ends before its header does.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

export const largest = (sizes: readonly Size[]): Size | undefined =>
  sizes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];

/** Returns the size of a drawing (of a `scalable` reader) at `scale`, rounded to whole pixels, at least 1. */
export const drawnSize = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
});
