import { Failure } from '../../../base/failure.ts';

export function packageTooLarge(files: number, bytes: number): Failure {
  const [most, gibibytes] = [(MOST_FILES - PACKAGE_TEXTS).toLocaleString('en'), MOST_BYTES / 2 ** 30];
  return new Failure(
    'file_too_large',
    `Expected at most ${most} new images of ${gibibytes} GiB together for a package but received ${files.toLocaleString('en')} of ${(bytes / 2 ** 30).toFixed(1)} GiB: reject some of them, or scan the website in parts.`,
  );
}

/** What a ZIP without its 64-bit extension can hold, which not every program reads (APPNOTE 6.3.10, section 4.4). */
export const MOST_FILES = 0xffff;
/** A little less than the format's 4 GiB: names and headers take some. */
export const MOST_BYTES = 3.9 * 2 ** 30;
/** Files of a package beside the images. */
export const PACKAGE_TEXTS = 8;
