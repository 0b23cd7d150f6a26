import { Failure } from '../../../base/failure.ts';

export function packageTooLarge(): Failure {
  const most = `${(MOST_FILES - PACKAGE_TEXTS).toLocaleString('en')} new files of ${MOST_BYTES / 2 ** 30} GiB together`;
  return new Failure(
    'file_too_large',
    `Expected at most ${most} for a package but received more: reject some of them, or scan the website in parts.`,
  );
}

/** What a ZIP without its 64-bit extension can hold, which not every program reads (APPNOTE 6.3.10, section 4.4). */
export const MOST_FILES = 0xffff;
/** A little less than the format's 4 GiB: names and headers take some. */
export const MOST_BYTES = 3.9 * 2 ** 30;
/** Files of a package beside the images. */
export const PACKAGE_TEXTS = 8;
