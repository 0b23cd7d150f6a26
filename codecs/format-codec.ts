/** The contract of `codec.ts` in a format's folder: how its pixels are read and written. Worker side. */

import type { Animation } from './animation-source.ts';
import type { Encoder } from './encoding.ts';
import type { FormatReader, ReaderContext } from './format-reader.ts';
import type { Loader } from './loader.ts';
import type { Modules } from './modules.ts';
import type { VipsApi } from './vips.ts';

export interface FormatCodec {
  /** How libvips reads it. */
  loader?: Loader;
  /** Our own reader of formats that libvips does not read. */
  reader?: FormatReader;
  /**
   * Our own reader of animations, of formats of which libvips reads one image. Undefined for a file that is not animated,
   * or whose animation cannot be read.
   */
  animation?(bytes: Uint8Array): Animation | undefined;
  /** The reader of files that libvips refuses. */
  fallback?: {
    applies(bytes: Uint8Array, page: number): boolean;
    load(): Promise<FormatReader>;
  };
  /**
   * Checks the header before any decoder reads it.
   * @throws Failure `corrupt_image`, `image_too_large`
   */
  checkHeader?(bytes: Uint8Array, page: number, limits: ReaderContext['limits']): void;
  /** Of the formats that can be written. */
  encode?: Encoder;
  /** Of the formats whose results keep all pages (`output.pages`). */
  pages?: PagesCodec;
  /**
   * Of documents (`output.document`): makes a file smaller that stays a document.
   * @returns undefined for a file that must not change
   */
  recodeDocument?(bytes: Uint8Array, request: DocumentRequest): Promise<RecodedDocument | undefined>;
}

export interface DocumentRequest {
  modules: Modules;
  /** Of the images, 1 to 100. */
  quality: number;
  keepsMetadata: boolean;
}

export interface RecodedDocument {
  file: Uint8Array;
  /** Whether metadata were removed. */
  isStripped: boolean;
}

/** One page of a file. */
export interface FilePage {
  /** From 1. */
  page: number;
  /** A file with only this page and its metadata; undefined if it cannot be taken out of the whole file. */
  file: Uint8Array | undefined;
}

export interface PagesCodec {
  /** Takes the pages of a file apart. @param pages how many it has, as its decoder counts them */
  split(bytes: Uint8Array, pages: number): Iterable<FilePage>;
  /** Joins files of one page each, with their metadata. */
  join(vips: VipsApi, files: readonly Uint8Array[]): Uint8Array | Promise<Uint8Array>;
}
