/** Decides the output format, and checks that it can be written. */
import { unsupportedOutput } from '../../../codecs/errors.ts';
import { isOutput, OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { hasFewColours } from '../../../codecs/pixel-facts.ts';
import { type Source, WHOLE_IMAGE } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import { checkHeldBytes } from '../decoding.ts';
import { checkSourceSize } from '../source-size.ts';

/**
 * The output format: the source's own if it can be written; otherwise PNG for images with transparency or few colours,
 * and JPEG for the rest.
 * @throws Failure `image_too_large`
 */
export async function outputFormat(
  context: WorkerContext,
  source: Source,
  { format }: Pick<EncodingParams, 'format'>,
): Promise<OutputFormat> {
  if (format !== 'auto') return format;
  const { header, streams } = source;
  if (isOutput(header.format)) return header.format;
  checkSourceSize(context, source, 1);
  const sequential = streams && header.orientation === 1;
  if (!sequential) checkHeldBytes(context, source);
  const { frames } = await source.open({ ...WHOLE_IMAGE, sequential, tolerant: true });
  const [frame] = frames;
  return frame.hasAlpha() || hasFewColours(context.modules, frame) ? 'png' : 'jpeg';
}

/** @throws Failure `unsupported_output` if the format does not support the mode */
export function checkMode(output: OutputFormat, { mode }: Pick<EncodingParams, 'mode'>): void {
  if (mode === 'lossless' && !OUTPUTS[output].lossless) {
    throw unsupportedOutput('a format that can be lossless with mode lossless', output);
  }
}
