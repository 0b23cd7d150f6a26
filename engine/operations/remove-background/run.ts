/**
 * Runs `remove-background` in the worker: opens the image, finds the subject, cuts it out, places it on its canvas and
 * background, encodes.
 */
import { checkSize } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import type { ImageResult } from '../../result.ts';
import { checkResultSize } from '../result-size.ts';
import { encoderFailed, retryTruncated } from '../retry-truncated.ts';
import { encodeStill, openStill } from '../still.ts';
import { transferable } from '../transferable.ts';
import { drawMask } from './alpha.ts';
import { composed } from './compose.ts';
import { separateAlpha } from './cutout.ts';
import { type RemoveBackgroundInput, removeBackground } from './definition.ts';
import { estimateMask, readMask } from './mask.ts';
import { type Background, parseFrame, resolveBackground } from './params.ts';
import { checkCutOutSize } from './size.ts';

/** @throws Failure as for `resolveBackground`, `estimateMask` and `readMask`, `no_subject`, and decode errors */
export async function run(context: WorkerContext, input: RemoveBackgroundInput): Promise<ImageResult> {
  const background = resolveBackground(input.params, input.background !== undefined);
  return retryTruncated(context.vips, input.image, (tolerant) => cutOut(context, input, background, tolerant));
}

async function cutOut(
  context: WorkerContext,
  input: RemoveBackgroundInput,
  background: Background,
  tolerant: boolean,
): Promise<ImageResult> {
  const started = performance.now();
  const { params } = input;
  const frame = params.frame === undefined || params.mask ? undefined : parseFrame(params.frame);
  const still = await openStill(context, input.image, {
    estimate: removeBackground.estimate,
    page: params.page,
    tolerant,
    check: (header) => {
      checkCutOutSize(context, header);
      if (frame) checkResultSize(context, header, frame);
      if (!params.mask) checkSize(params.format, (frame ?? header).width, (frame ?? header).height);
    },
  });
  const decodedAt = performance.now();
  const mask = input.mask ? await readMask(context, input.mask, still.frame) : await estimateMask(context, still.frame);
  const layers = separateAlpha(still.frame);
  const compose = async () =>
    params.mask
      ? drawMask(context, layers.photo, mask, params)
      : await composed(context, layers, mask, { params, background, file: input.background, frame });
  const image = await compose().catch((error: unknown) => {
    throw encoderFailed(error);
  });
  const processedAt = performance.now();
  const format = params.mask ? 'png' : params.format;
  const encoded = await encodeStill(context, image, {
    format,
    header: params.mask ? undefined : still.header,
    png: { keepAlpha: true },
  });
  return {
    data: transferable(encoded.bytes),
    format,
    width: image.width,
    height: image.height,
    dpi: null,
    outcome: 'done',
    warnings: [...still.warnings, ...(mask.doubtful ? (['low_confidence'] as const) : []), ...encoded.warnings],
    source: still.source,
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
  };
}
