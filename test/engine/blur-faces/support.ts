/** Runs blur-faces on the real pools. */

import type { BlurFacesResult } from '../../../engine/operations/blur-faces/definition.ts';
import { type BlurFacesParams, blurFacesParams } from '../../../engine/operations/blur-faces/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { TaskInput } from '../../../engine/task.ts';
import { ownBuffer, testEngine, testModelEngine } from '../../support/engine.ts';

export interface BlurOptions extends Partial<BlurFacesParams> {
  page?: number;
  filename?: string;
}

export function blurInput(image: Uint8Array, options: BlurOptions = {}): TaskInput<'blur-faces'> {
  const params = blurFacesParams.extend(sourceParams.shape).parse(options);
  const { filename } = options;
  return { image: { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) }, params };
}

/** Runs blur-faces with the default parameters. Without `boxes`, the installed model detects the faces. */
export async function blurFaces(
  image: Uint8Array,
  options: BlurOptions = {},
): Promise<BlurFacesResult & { bytes: Buffer }> {
  const engine = await (options.boxes === undefined ? testModelEngine() : testEngine());
  const result = await engine.run('blur-faces', blurInput(image, options));
  return { ...result, bytes: Buffer.from(result.data) };
}
