/** `compress` on the worker: open, walk the steps, encode as the mode asks, put the metadata back. */
import { corruptImage, imageTooLarge } from '../../../codecs/errors.ts';
import { OUTPUTS } from '../../../codecs/formats.ts';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import { copyToMemory, decodedBytes, type Picture } from '../../../codecs/picture.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import { isDecodeError, vipsMessage } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import { fingerprintOf } from '../../quality/measure.ts';
import type { ImageResult } from '../../result.ts';
import type { TaskInput } from '../../task.ts';
import { encodeResult, encodesRepeatedly } from './encode.ts';
import { dropsMetadata, originalFile, resolutionOf, resultMetadata } from './metadata.ts';
import { planCompress } from './plan.ts';
import { drawnAsAsked, isOutput, outputFormat } from './source.ts';
import { changesPixels, walkSteps } from './steps.ts';

type CompressInput = TaskInput<'compress'>;

export async function runCompress(context: WorkerContext, input: CompressInput): Promise<ImageResult> {
  try {
    return await compress(context, input, false);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return compressDamaged(context, input, error);
  }
}

const OUT_OF_MEMORY = /out of memory/i;
const needsMoreMemory = () => imageTooLarge('as much memory as one request may use', 'a picture that needs more');

function encoderFailed(error: unknown): Error {
  const message = vipsMessage(error);
  return OUT_OF_MEMORY.test(message) ? needsMoreMemory() : new Error(`the encoder failed: ${message}`);
}

/** The second try, after libvips has refused a file: what can be read of one that ends early is used. */
async function compressDamaged(context: WorkerContext, input: CompressInput, first: unknown): Promise<ImageResult> {
  try {
    const result = await compress(context, input, true);
    return { ...result, warnings: [...result.warnings, 'truncated_source'] };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const message = vipsMessage(error);
    if (OUT_OF_MEMORY.test(message)) throw needsMoreMemory();
    const format = await formatOf(new Uint8Array(input.image.data), input.image.filename);
    throw corruptImage(format, `${vipsMessage(first)}; then ${message}`);
  }
}

/** @throws Failure `image_too_large` when the steps have made more of a picture than one request may hold */
function checkMemory({ limits }: WorkerContext, picture: Picture): Picture {
  const bytes = decodedBytes(picture);
  if (bytes > limits.decodedBytes) {
    throw imageTooLarge(`${limits.decodedBytes} bytes of decoded pixels`, `a picture and a request that need ${bytes}`);
  }
  return picture;
}

/** A buffer that holds exactly these bytes and can be transferred. */
function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  const whole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return whole ? bytes.buffer : new Uint8Array(bytes).buffer;
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
    // With the pixels in memory nothing is decoded any more: it was the encoder, and not the fault of the file.
    throw inMemory && isDecodeError(error) ? encoderFailed(error) : error;
  });

  return {
    data: ownBuffer(encoded.bytes),
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
