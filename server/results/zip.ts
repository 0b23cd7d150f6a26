/** Results that are a ZIP of several files. */
import { sourceStem } from '../../engine/file-name.ts';
import type { Outcome } from '../../engine/result.ts';

export const ZIP_TYPE = 'application/zip';

/** Not an image: the only result format that is not a codec. */
export const ZIP_FORMAT = 'zip';

/** A ZIP is not made to be smaller than its source. */
export const ZIP_OUTCOME: Outcome = 'done';

/** @param source name that the source was sent with, if any */
export const zipName = (source: string | undefined): string => `${sourceStem(source)}.${ZIP_FORMAT}`;
