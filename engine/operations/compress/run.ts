/** `compress` on the worker: open, walk the steps, encode as the mode asks, put the metadata back. */
import { imageTooLarge } from '../../../codecs/errors.ts';
import { OUTPUTS } from '../../../codecs/formats.ts';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import { copyToMemory, decodedBytes, type Picture } from '../../../codecs/picture.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import type { WorkerContext } from '../../context.ts';
import { fingerprintOf } from '../../quality/measure.ts';
import type { ImageResult } from '../../result.ts';
import type { TaskInput } from '../../task.ts';
import { encoderFailed, tolerateDamage } from '../damage.ts';
import { transferable } from '../transferable.ts';
import { encodeResult, encodesRepeatedly } from './encode.ts';
import { dropsMetadata, originalFile, resolutionOf, resultMetadata } from './metadata.ts';
import { planCompress } from './plan.ts';
import { drawnAsAsked, isOutput, outputFormat } from './source.ts';
import { changesPixels, walkSteps } from './steps.ts';

type CompressInput = TaskInput<'compress'>;

export function runCompress(context: WorkerContext, input: CompressInput): Promise<ImageResult> {
  return tolerateDamage(input.image, (tolerant) => compress(context, input, tolerant));
}

/** @throws Failure `image_too_large` when the steps have made more of a picture than one request may hold */
function checkMemory({ limits }: WorkerContext, picture: Picture): Picture {
  const bytes = decodedBytes(picture);
  if (bytes > limits.decodedBytes) {
    throw imageTooLarge(`${limits.decodedBytes} bytes of decoded pixels`, `a picture and a request that need ${bytes}`);
  }
  return picture;
}

async function compress(context: WorkerContext, input: CompressInput, tolerant: boolean): Promise<ImageResult> {
  const { image, watermark } = input;
  const started = performance.now();
  const bytes = new Uint8Array(image.data);
  const format = await formatOf(bytes, image.filename);
  const { page } = input.params;
  const stored = await openSource(context, { bytes, format, page, filename: image.filename });
  const { source, params } = drawnAsAsked(stored, input.params);
  const plan = planCompress(context, source, params, await outputFormat(context, source, params));
  const { header, output, sequential } = plan;

  const opened = await source.open({
    animation: plan.animation,
    shrink: plan.shrink,
    sequential,
    tolerant,
    keepProfile: params.metadata !== 'strip' && OUTPUTS[output].holds.icc,
    keepDepth: params.mode === 'lossless' && OUTPUTS[output].depth === 16,
  });
  const decoded = sequential ? opened : copyToMemory(opened);
  const decodedAt = performance.now();

  const stepped = await walkSteps(context, plan, decoded, watermark);
  const inMemory = !sequential || encodesRepeatedly(params, output);
  const picture = inMemory ? copyToMemory(checkMemory(context, stepped.picture)) : stepped.picture;
  const processedAt = performance.now();

  const [frame] = picture.frames;
  const unchanged = !tolerant && !opened.converted && !changesPixels(plan, stepped, watermark);
  const resolution = resolutionOf(plan, frame);
  const carried = readMetadata(format, bytes);
  const metadata = resultMetadata({ stored: carried, params, output, picture, dpi: resolution.dpi, unchanged });
  const encoded = await encodeResult({
    context,
    picture,
    output,
    params,
    metadata,
    original: unchanged && isOutput(format) ? originalFile(bytes, format, metadata, params) : undefined,
    sourceBytes: bytes.length,
    inMemory,
  }).catch((error: unknown) => {
    throw inMemory ? encoderFailed(error) : error;
  });

  return {
    data: transferable(encoded.bytes),
    format: output,
    width: frame.width,
    height: frame.height,
    dpi: metadata.density ? Math.round(metadata.density.x) : null,
    outcome: encoded.outcome,
    warnings: [
      ...(header.animated && !plan.animation ? (['animation_flattened'] as const) : []),
      ...(header.preview ? (['preview_used'] as const) : []),
      ...(opened.converted ? (['color_converted'] as const) : []),
      ...stepped.warnings,
      ...resolution.warnings,
      ...(dropsMetadata(carried, metadata, params, opened.converted) ? (['metadata_dropped'] as const) : []),
      ...encoded.warnings,
    ],
    source: { format, bytes: bytes.length, width: stored.header.width, height: stored.header.height },
    ...(encoded.similarity === undefined ? {} : { similarity: encoded.similarity }),
    ...(encoded.explain === undefined ? {} : { explain: encoded.explain }),
    ...(params.fingerprint ? { fingerprint: await fingerprintOf(source) } : {}),
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
  };
}
