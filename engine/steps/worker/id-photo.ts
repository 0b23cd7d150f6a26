import type { IdPhotoParams } from '../../operations/id-photo/params.ts';
import { resolvePhoto } from '../../operations/id-photo/photo.ts';
import { makePhoto, placePhoto } from '../../operations/id-photo/run.ts';
import { writePhoto } from '../../operations/id-photo/write.ts';
import type { ImageResult } from '../../result.ts';
import { cropArea } from '../crop.ts';
import type { FileJob } from '../step.ts';

/** @throws Failure as for `placePhoto` and `writePhoto` */
export async function writeIdPhoto(params: IdPhotoParams, job: FileJob): Promise<ImageResult> {
  const { context, image, stored, page, tolerant, started, before, edited } = job;
  const photo = resolvePhoto(params);
  if (!edited) return await makePhoto(context, { image, params }, photo, tolerant);
  const { opened, decodedAt } = edited;
  const crop = params.crop === undefined ? undefined : cropArea(before, params.crop);
  const isAligned = params.align === 'face';
  const placed = await placePhoto(context, edited.image, { photo, crop, isAligned, size: before });
  return await writePhoto(context, {
    ...{ photo, ...placed, removeBackground: params.remove_background },
    ...{ page, stored, bytes: image.data.byteLength, opened, started, decodedAt },
    warnings: [...edited.warnings, ...placed.warnings],
  });
}
