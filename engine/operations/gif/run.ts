/** Runs `gif` in the worker: plans from the header, decodes and processes frame by frame, encodes. */

import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import { readFacts } from '../../../codecs/facts/index.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import { type OpenedImage, type Source, WHOLE_IMAGE } from '../../../codecs/source.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { BYTE_BITS, sourceWarnings } from '../source-warnings.ts';
import { transferable } from '../transferable.ts';
import type { GifInput, GifResult } from './definition.ts';
import { ENCODERS } from './encode.ts';
import { takeFrames } from './frames.ts';
import type { GifParams } from './params.ts';
import { type GifPlan, planGif } from './plan.ts';
import { total } from './timeline.ts';

export const run = (context: WorkerContext, input: GifInput): Promise<GifResult> =>
  retryTruncated(context.vips, input.image, (tolerant) => editAnimation(context, input, tolerant));

export async function editAnimation(
  context: WorkerContext,
  { image, params }: GifInput,
  tolerant: boolean,
): Promise<GifResult> {
  const started = performance.now();
  const bytes = new Uint8Array(image.data);
  const format = await formatOf(bytes, image.filename);
  const source = await openSource(context, { bytes, format, page: params.page, filename: image.filename });
  const { header } = source;
  const plan = planGif(context, source, params);
  const { animation, sequential } = plan;

  const opened = await source.open({ ...WHOLE_IMAGE, animation, sequential, tolerant });
  const { width, height } = plan.resizing.scaled;
  const delays = plan.shown.map(({ delay }) => delay);
  const resized = width !== plan.cropped.width || height !== plan.cropped.height;
  const { bytes: encoded, decodedAt } = ENCODERS[params.format]({
    context,
    params,
    width,
    height,
    timing: { delays, loop: plan.plays },
    untouched: !resized && readFacts(format, bytes, params.page ?? 1).coding?.lossless === true,
    frames: (take) => takeFrames(opened, plan, params, take),
  });
  return {
    data: transferable(encoded),
    format: params.format,
    width,
    height,
    dpi: null,
    outcome: encoded.length < bytes.length ? 'reduced' : 'grown',
    warnings: sourceWarnings({ header, page: params.page, animation, converted: opened.converted, depth: BYTE_BITS }),
    source: { format, bytes: bytes.length, width: header.width, height: header.height },
    phases: {
      // Each frame goes through the steps while it is decoded, so `process` is part of this.
      decode: decodedAt - started,
      process: 0,
      encode: performance.now() - decodedAt,
    },
    frames: delays.length,
    animationMs: total(delays),
    sourceFrames: plan.delays.length,
    sourceAnimationMs: total(plan.delays),
  };
}

/** Returns the frames of the result in memory, for another encoder. */
export async function editFrames(
  source: Source,
  plan: GifPlan,
  params: Pick<GifParams, 'crop'>,
  tolerant: boolean,
): Promise<{ opened: OpenedImage; image: DecodedImage }> {
  const { animation, sequential, shown, plays } = plan;
  const opened = await source.open({ ...WHOLE_IMAGE, animation, sequential, tolerant });
  const frames: Image[] = [];
  takeFrames(opened, plan, params, (frame, place) => {
    frames[place] = frame.copyMemory();
  });
  const timing = shown.length > 1 ? { delays: shown.map(({ delay }) => delay), loop: plays } : null;
  return { opened, image: { frames: frames as [Image, ...Image[]], timing, icc: undefined } };
}
