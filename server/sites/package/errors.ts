import { Failure } from '../../../base/failure.ts';

export function packageTooLarge(): Failure {
  const most = `${(MOST_FILES - PACKAGE_TEXTS).toLocaleString('en')} new files of ${MOST_BYTES / 2 ** 30} GiB together`;
  return new Failure(
    'file_too_large',
    `Expected at most ${most} for a package but received more: reject some of them, or scan the website in parts.`,
  );
}

/**
 * Maximum number of files in a ZIP without the ZIP64 extension, which not every program supports (APPNOTE 6.3.10,
 * section 4.4).
 */
export const MOST_FILES = 0xffff;
/** A little less than the format's 4 GiB, because names and headers need space too. */
export const MOST_BYTES = 3.9 * 2 ** 30;
/** Number of files in a package besides the images. */
export const PACKAGE_TEXTS = 8;
