import { Failure } from '../../../base/failure.ts';

export function packageTooLarge(): Failure {
  const most = `${(MAX_ZIP_FILES - TEXT_FILE_COUNT).toLocaleString('en')} new files of ${MAX_ZIP_BYTES / 2 ** 30} GiB together`;
  return new Failure(
    'file_too_large',
    `Expected at most ${most} for a package but received more: reject some of them, or scan the website in parts.`,
  );
}

/**
 * Maximum number of files in a ZIP without the ZIP64 extension, which not every program supports (APPNOTE 6.3.10,
 * section 4.4).
 */
export const MAX_ZIP_FILES = 0xffff;
/** A little less than the format's 4 GiB, because names and headers need space too. */
export const MAX_ZIP_BYTES = 3.9 * 2 ** 30;
/** Number of files in a package besides the images. */
export const TEXT_FILE_COUNT = 8;
