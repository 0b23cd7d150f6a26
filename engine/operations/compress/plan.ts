/** Plans compress from the header, before any pixel is decoded. */
import { imageTooLarge, unsupportedOutput } from '../../../codecs/errors.ts';
import { OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import type { Header } from '../../../codecs/picture.ts';
import type { Source } from '../../../codecs/source.ts';
import { checkSize } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import { checkEncoding, isStreamed } from '../decoding.ts';
import { checkResultSize } from '../result-size.ts';
import { checkSourceSize } from '../source-size.ts';
import { type DecodedSize, decodedSize, FULL_SIZE, type Geometry, planGeometry } from './geometry.ts';
import type { CompressParams } from './params.ts';

/** Every step processes each frame as a separate image, however small it is. */
const MAX_FRAMES = 2000;

/** Everything known before the first pixel is decoded. */
export interface Plan extends DecodedSize {
  params: CompressParams;
  header: Header;
  output: OutputFormat;
  /** Whether all frames are kept. */
  animation: boolean;
  geometry: Geometry;
  sequential: boolean;
}

/** @throws Failure `image_too_large`, `invalid_parameter`, `unsupported_output` */
export function planCompress(
  context: WorkerContext,
  source: Source,
  params: CompressParams & { page: number },
  output: OutputFormat,
): Plan {
  const { header } = source;
  const animation = header.frames > 1 && OUTPUTS[output].animation && params.page === 1;
  const frames = animation ? header.frames : 1;
  checkMode(output, params);
  checkFrames(context, source, frames);
  const geometry = planGeometry(header, params);
  checkResultSize(context, header, geometry.result, frames);
  const { icon: isIcon } = OUTPUTS[output];
  if (!isIcon) checkSize(output, geometry.result.width, geometry.result.height);

  const { shrink, size } = source.shrinks && !animation ? decodedSize(geometry, params) : FULL_SIZE;
  const sequential = isStreamed(context, source, { frames, shrink, inOrder: readsRowsInOrder(params) });
  if (!isIcon) {
    checkEncoding(context, source, { frames, shrink }, { result: geometry.result, output, streamed: sequential });
  }
  return { params, header, output, animation, geometry, shrink, size, sequential };
}

/** @throws Failure `unsupported_output` if the format does not support the mode */
export function checkMode(output: OutputFormat, { mode }: Pick<CompressParams, 'mode'>): void {
  if (mode === 'lossless' && !OUTPUTS[output].lossless) {
    throw unsupportedOutput('a format that can be lossless with mode lossless', output);
  }
}

/** @throws Failure `image_too_large` if there are too many frames to decode */
export function checkFrames(context: WorkerContext, source: Source, frames: number): void {
  if (frames > MAX_FRAMES) throw imageTooLarge(`${MAX_FRAMES} frames`, `${frames} frames`);
  checkSourceSize(context, source, frames);
}

/** Whether every step processes the rows in the order in which the decoder delivers them. */
function readsRowsInOrder(params: CompressParams): boolean {
  const looksAtTheWhole = params.enhance || (params.crop_ratio !== undefined && params.crop_gravity === 'attention');
  return !params.flip.includes('v') && params.rotate === 0 && !looksAtTheWhole;
}
