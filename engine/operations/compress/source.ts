/** Decides the output format and the rendering size of the source before compress is planned. */
import { isOutput, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { hasFewColours } from '../../../codecs/pixel-facts.ts';
import { type Source, WHOLE_IMAGE } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import { planResize } from '../../steps/resize.ts';
import { checkHeldBytes } from '../decoding.ts';
import { checkSourceSize } from '../source-size.ts';
import { planGeometry, resizeParams } from './geometry.ts';
import type { CompressParams } from './params.ts';

/**
 * The output format: the source's own if it can be written; otherwise PNG for images with transparency or few colours,
 * and JPEG for the rest.
 * @throws Failure `image_too_large`
 */
export async function outputFormat(
  context: WorkerContext,
  source: Source,
  { format }: CompressParams,
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

/** Renders a vector source at the requested size, smaller or larger, instead of resampling it. */
export function drawnAsAsked<P extends CompressParams>(source: Source, params: P): { source: Source; params: P } {
  // A crop is given in pixels of the image at its own size.
  if (!source.scaled || params.crop !== undefined) return { source, params };
  const { turned } = planGeometry(source.header, params);
  const { scaled } = planResize(turned, { ...resizeParams(params), enlarge: true });
  const scale = Math.max(scaled.width / turned.width, scaled.height / turned.height);
  if (scale === 1) return { source, params };
  return { source: source.scaled(scale), params: { ...params, percent: undefined } };
}
