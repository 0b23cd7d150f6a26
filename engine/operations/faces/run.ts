/**
 * Runs `faces` in the worker: decodes at the smallest sufficient size, and decodes larger only if the faces are small.
 */

import type { Header } from '../../../codecs/decoded-image.ts';
import { startKernels } from '../../../codecs/kernels/kernels.ts';
import { largestShrink, type Shrink } from '../../../codecs/shrink.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { openStill, type Still } from '../still.ts';
import { faces as definition, type FacesInput } from './definition.ts';
import { findFaces, SECOND_SCALE_PIXELS } from './detect.ts';
import type { FacesResult } from './record.ts';

export async function run(context: WorkerContext, input: FacesInput): Promise<FacesResult> {
  // Before decoding, because without a model the task fails.
  const finder = { model: await context.models.open('faces'), kernels: startKernels(context.modules) };
  return retryTruncated(context.vips, input.image, async (tolerant) => {
    const started = performance.now();
    let decodeMs = 0;
    const open = async (shrink: (header: Header) => Shrink): Promise<Still> => {
      const from = performance.now();
      const still = await openStill(context, input.image, {
        estimate: definition.estimate,
        page: input.params.page,
        tolerant,
        shrink,
      });
      decodeMs += performance.now() - from;
      return still;
    };
    // Enough for the second scale, so that most images are decoded once.
    const first = await open(shrinkTo(SECOND_SCALE_PIXELS));
    const { width, height } = first.header;
    let largest: Image = first.frame;
    let shrink = shrinkTo(SECOND_SCALE_PIXELS)(first.header);
    const atLeast = async (pixels: number) => {
      const wanted = shrinkTo(pixels)(first.header);
      // Not every decoder can shrink.
      if (wanted < shrink && largest.width < width) {
        largest = (await open(() => wanted)).frame;
        shrink = wanted;
      }
      return largest;
    };
    const found = await findFaces(finder, { width, height, atLeast });
    const faces = found.map(({ landmarks: _, ...face }) => face);
    return {
      record: { width, height, faces },
      warnings: first.warnings,
      phases: { decode: decodeMs, process: performance.now() - started - decodeMs, encode: 0 },
    };
  });
}

/** The largest shrink of the decoder that leaves at least this many pixels. */
const shrinkTo =
  (pixels: number) =>
  ({ width, height }: Header): Shrink =>
    largestShrink(Math.sqrt((width * height) / pixels));
