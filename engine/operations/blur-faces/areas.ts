/** The areas of an image that blur-faces covers: the given ones, or those of the detected faces. */
import { startKernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { LoadedModel } from '../../../models/runtime.ts';
import type { WorkerContext } from '../../context.ts';
import { findFaces } from '../faces/detect.ts';
import type { Box } from '../parse-parameters.ts';
import { type BlurFacesParams, parseBoxes } from './params.ts';

/** @param model if faces are to be found */
export async function areasToCover(
  { modules }: WorkerContext,
  frame: Image,
  { boxes = '' }: Pick<BlurFacesParams, 'boxes'>,
  model: LoadedModel | undefined,
): Promise<readonly Box[]> {
  if (!model) return parseBoxes(boxes);
  const { width, height } = frame;
  const image = { width, height, atLeast: async () => frame };
  // A missed face stays visible and cannot be covered later.
  return await findFaces({ model, kernels: startKernels(modules) }, image, true);
}
