/** Runs `gif` in the worker: plans from the header, decodes and processes frame by frame, encodes. */

import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import { type OpenedImage, type Source, WHOLE_IMAGE } from '../../../codecs/source.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { originalFile } from '../compress/metadata.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { BYTE_BITS, sourceWarnings } from '../source-warnings.ts';
import { transferable } from '../transferable.ts';
import type { GifInput, GifResult } from './definition.ts';
import { ENCODERS } from './encode.ts';
import { joinFrames, takeFrames } from './frames.ts';
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
  const { bytes: encoded, decodedAt } = await ENCODERS[params.format]({
    context,
    params,
    width,
    height,
    timing: { delays, loop: plan.plays },
    joined: joinFrames(context.vips, opened, plan),
    frames: (take) => takeFrames(opened, plan, params, take),
  });
  const isComparable = format === params.format && plan.unedited && !tolerant && !opened.converted;
  const original =
    isComparable && header.orientation === 1 ? originalFile(bytes, params.format, {}, STRIPPED) : undefined;
  const kept = original !== undefined && original.length <= encoded.length;
  const result = kept ? original : encoded;
  return {
    data: transferable(result),
    format: params.format,
    width,
    height,
    dpi: null,
    outcome: kept ? 'kept_original' : result.length < bytes.length ? 'reduced' : 'grown',
    warnings: sourceWarnings({ header, page: params.page, animation, converted: opened.converted, depth: BYTE_BITS }),
    source: { format, bytes: bytes.length, width: header.width, height: header.height },
    phases: {
      // Each frame goes through the steps while it is decoded, so `process` is part of this.
      decode: decodedAt - started,
      process: 0,
      encode: performance.now() - decodedAt,
    },
    frames: delays.length,
    animationMs: lengthOf(kept ? plan.delays : delays),
    sourceFrames: plan.delays.length,
    sourceAnimationMs: lengthOf(plan.delays),
  };
}

const STRIPPED = { metadata: 'strip', dpi: undefined } as const;

/** The length of an animation in milliseconds; undefined for a single frame, which has none. */
const lengthOf = (delays: readonly number[]): number | undefined => (delays.length > 1 ? total(delays) : undefined);

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
