/**
 * Runs `compress` in the worker: opens the source, applies the steps, encodes as the mode requires and writes the
 * metadata.
 */
import { formatOf, openSource } from '../../../codecs/read.ts';
import { decode } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import type { ImageResult } from '../../result.ts';
import { retryTruncated } from '../retry-truncated.ts';
import type { CompressInput } from './definition.ts';
import { staysDrawing } from './drawing/stays-svg.ts';
import { resolutionOf } from './metadata.ts';
import { planCompress } from './plan.ts';
import { recompress } from './recompress.ts';
import { drawnAsAsked, outputFormat } from './source.ts';
import { applySteps, changesPixels, changesSamples } from './steps.ts';
import { colourToDecode, writeResult } from './write.ts';

export function run(context: WorkerContext, input: CompressInput): Promise<ImageResult> {
  return retryTruncated(context.vips, input.image, (tolerant) => compress(context, input, tolerant));
}

async function compress(context: WorkerContext, input: CompressInput, tolerant: boolean): Promise<ImageResult> {
  const { image, watermark } = input;
  const started = performance.now();
  const bytes = new Uint8Array(image.data);
  const format = await formatOf(bytes, image.filename);
  const { page } = input.params;
  const stored = await openSource(context, { bytes, format, page, filename: image.filename });
  if (!tolerant && staysDrawing(stored.header, input.params, watermark !== undefined)) {
    const { compressDrawing } = await import('./drawing/run.ts');
    const drawing = await compressDrawing(context, { bytes, source: stored, params: input.params, started });
    if (drawing) return drawing;
  }
  const { source, params: asked } = drawnAsAsked(stored, input.params);
  const plan = planCompress(context, source, asked, await outputFormat(context, source, asked));
  const { output, animation, shrink, size, geometry } = plan;

  const request = { animation, shrink, size, tolerant, ...colourToDecode(output, asked) };
  const isMarked = watermark !== undefined;
  const isChanged = changesPixels(plan, isMarked);
  const { params, recompressed } = await recompress(context, {
    ...{ bytes, source, output, params: asked, request },
    // The JPEG codec reads only the first page.
    changesSamples: page !== 1 || changesSamples(plan, isMarked),
    writesSame: isChanged,
  });
  const sequential = recompressed !== undefined || plan.sequential;
  const opened = recompressed?.opened ?? (await decode(context.vips, source, { ...request, sequential }));
  const decodedAt = performance.now();

  const stepped = await applySteps(context, plan, opened, watermark);
  const { picture, warnings } = stepped;
  const flattened = warnings.includes('alpha_flattened');
  return await writeResult(context, {
    bytes,
    stored,
    source,
    opened,
    animation,
    sequential,
    picture,
    recompressed: recompressed?.file,
    output,
    params,
    resolution: resolutionOf(params, geometry.turned, geometry.plan, picture.frames[0]),
    unchanged: !tolerant && !opened.converted && !flattened && !isChanged,
    warnings,
    started,
    decodedAt,
  });
}
