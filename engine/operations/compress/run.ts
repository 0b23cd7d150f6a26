/** Runs `compress` in the worker: its parameters become steps, which the executor of pipelines runs. */
import { formatOf, openSource } from '../../../codecs/read.ts';
import type { Source } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import { makeImage } from '../../pipeline/make-image.ts';
import type { ImageResult } from '../../result.ts';
import { isDone, modelsOf } from '../../steps/step.ts';
import { onEveryPage } from '../every-page.ts';
import { keepsPages } from '../kept-pages.ts';
import { retryTruncated } from '../retry-truncated.ts';
import type { CompressInput } from './definition.ts';
import { needsNoPixels, planCompress } from './plan.ts';
import { compressUnrasterised } from './unrasterised.ts';

export const run = (context: WorkerContext, input: CompressInput): Promise<ImageResult> =>
  retryTruncated(context.vips, input.image, (tolerant) => compress(context, input, tolerant));

async function compress(context: WorkerContext, input: CompressInput, tolerant: boolean): Promise<ImageResult> {
  const { image, watermark, params } = input;
  const started = performance.now();
  const file = new Uint8Array(image.data);
  const format = await formatOf(file, image.filename);
  const stored = await openSource(context, { bytes: file, format, page: params.page, filename: image.filename });
  const request = { file, stored, params, hasLogo: watermark !== undefined, tolerant };
  if (!tolerant && needsNoPixels(context, request)) {
    const result = await compressUnrasterised(context, { bytes: file, source: stored, params, started });
    if (result) return result;
  }
  if (keepsPages(stored.header, params.page, params.format)) return compressPages(context, input, stored, tolerant);
  const { plan, encoding, warnings } = await planCompress(context, request);
  // Before decoding, because without a model the task fails.
  for (const purpose of plan.steps.filter(isDone).flatMap(modelsOf)) await context.models.open(purpose);
  const result = await makeImage({
    ...{ context, plan, encoding, tolerant, started },
    logo: watermark,
    encodedBy: undefined,
    report: undefined,
  });
  return { ...result, warnings: [...warnings, ...result.warnings] };
}

async function compressPages(
  context: WorkerContext,
  input: CompressInput,
  { header }: Source,
  tolerant: boolean,
): Promise<ImageResult> {
  const { params } = input;
  const { joined } = await onEveryPage(context, {
    ...{ image: input.image, header, encoding: params },
    run: ({ image, page, encoding }) =>
      compress(context, { ...input, image, params: { ...params, page, ...encoding } }, tolerant),
  });
  return joined;
}
