import { sourceParams } from '../../../engine/operations/parameters.ts';
import { type UpscaleParams, upscaleParams } from '../../../engine/operations/upscale/params.ts';
import type { ImageResult } from '../../../engine/result.ts';
import { ownBuffer, testModelEngine } from '../../support/engine.ts';

export interface UpscaleOptions extends Partial<UpscaleParams> {
  page?: number;
  filename?: string;
  /** Default: the limit of the plan pro. */
  maxPixels?: number;
}

const declaration = upscaleParams.extend(sourceParams.shape);

/** Runs upscale on the real pool with the network of the package and the default parameters. */
export async function upscale(
  image: Uint8Array,
  { maxPixels = 2_250_000, ...options }: UpscaleOptions = {},
): Promise<ImageResult & { bytes: Buffer }> {
  const params = declaration.parse(options);
  const { filename } = params;
  const result = await (await testModelEngine()).run('upscale', {
    image: { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) },
    params,
    maxPixels,
  });
  return { ...result, bytes: Buffer.from(result.data) };
}
