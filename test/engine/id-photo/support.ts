import { type IdPhotoParams, idPhotoParams } from '../../../engine/operations/id-photo/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { ImageResult } from '../../../engine/result.ts';
import { ownBuffer, testEngine } from '../../support/engine.ts';

export interface IdPhotoOptions extends Partial<IdPhotoParams> {
  page?: number;
}

const declaration = idPhotoParams.extend(sourceParams.shape);

/** Runs id-photo on the real pool with the default parameters. */
export async function idPhoto(image: Uint8Array, options: IdPhotoOptions): Promise<ImageResult & { bytes: Buffer }> {
  const params = declaration.parse(options);
  const result = await (await testEngine()).run('id-photo', { image: { data: ownBuffer(image) }, params });
  return { ...result, bytes: Buffer.from(result.data) };
}
