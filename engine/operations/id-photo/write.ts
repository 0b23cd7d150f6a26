/** Makes the response from a decoded image: the composed and encoded photo, and its warnings. */

import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import type { OpenedImage, Source } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import type { Warning } from '../../result.ts';
import { encoderFailed } from '../retry-truncated.ts';
import { BYTE_BITS, sourceWarnings } from '../source-warnings.ts';
import { transferable } from '../transferable.ts';
import { type Composition, composePhoto } from './compose.ts';
import type { IdPhotoResult } from './definition.ts';
import { encodePhoto } from './encode.ts';
import type { Alignment } from './head.ts';

export interface PhotoJob extends Composition {
  /** Scale factor of the image; above 1 it has too few pixels. */
  enlarged: number;
  /** If the photo was placed on a face. */
  alignment: Alignment | undefined;
  /** The page that the request names. */
  page: number | undefined;
  /** The unchanged source, and its size in bytes. */
  stored: Source;
  bytes: number;
  opened: OpenedImage;
  image: DecodedImage;
  /** Warnings of earlier steps. */
  warnings: readonly Warning[];
  /** When the work began, and when the pixels were decoded. */
  started: number;
  decodedAt: number;
}

/** @throws Failure as for `composePhoto` */
export async function writePhoto(context: WorkerContext, job: PhotoJob): Promise<IdPhotoResult> {
  const { photo, stored, started, decodedAt } = job;
  const { header } = stored;
  const { image, warnings } = await composePhoto(context, job.image, job);
  const processedAt = performance.now();

  const encoded = await encodePhoto(context, image, photo).catch((error: unknown) => {
    throw encoderFailed(error);
  });
  const [{ width, height }] = image.frames;
  return {
    data: transferable(encoded.bytes),
    format: photo.format,
    width,
    height,
    dpi: photo.dpi,
    outcome: encoded.outcome,
    warnings: [
      ...(photo.preset?.source_kind === 'quoted' ? (['preset_unverified'] as const) : []),
      ...sourceWarnings({ header, page: job.page, converted: job.opened.converted, depth: BYTE_BITS }),
      ...job.warnings,
      ...warnings,
      ...(job.enlarged > 1 ? (['print_resolution_low'] as const) : []),
    ],
    source: { format: header.format, bytes: job.bytes, width: header.width, height: header.height },
    ...(job.alignment ? { alignment: job.alignment } : {}),
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
  };
}
