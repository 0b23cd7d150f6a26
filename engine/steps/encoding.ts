/** The parameters with which the result is encoded as by compress, from the steps that set them. */
import type { EncodingParams } from './compress.ts';
import { STEP_PARAMS } from './registry.ts';
import type { BoundStep } from './step.ts';

const { metadata: DEFAULT_METADATA } = STEP_PARAMS.metadata.parse({});

/**
 * @param encodedBy the encoding step; undefined if none is done
 * @param done all steps that are done; of those that set the same parameter, the last one counts
 */
export function encodingParamsOf(encodedBy: BoundStep | undefined, done: readonly BoundStep[]): EncodingParams {
  const defaults = done.map(({ definition, params }) => definition.encodingDefaults?.(params));
  const own = encodedBy?.definition.encoding?.(encodedBy.params);
  const { metadata = DEFAULT_METADATA, ...encoding } = STEP_PARAMS.compress.parse(Object.assign({}, ...defaults, own));
  return { ...encoding, metadata };
}
