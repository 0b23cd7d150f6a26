/** Decides how the source is decoded for a list of steps. */
import type { Size } from '../../base/geometry.ts';
import type { Header } from '../../codecs/decoded-image.ts';
import { imageTooLarge } from '../../codecs/errors.ts';
import { OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import { largestShrink, type Shrink } from '../../codecs/shrink.ts';
import { type OpenRequest, type Source, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { ColourRequest } from '../../codecs/working-space.ts';
import type { WorkerContext } from '../context.ts';
import { type ColourParams, colourToDecode } from '../operations/compress/write.ts';
import { checkEncoding, isStreamed } from '../operations/decoding.ts';
import { checkSourceSize } from '../operations/source-size.ts';
import { BYTE_BITS } from '../operations/source-warnings.ts';
import {
  type BoundStep,
  changesColours,
  isSameSize,
  isScaleIndependent,
  needsPlainSamples,
  readsRowsInOrder,
  type SizedStep,
} from '../steps/step.ts';

/** Every step processes each frame as a separate image, however small it is. */
const MAX_FRAMES = 2000;

/** @throws Failure `image_too_large` if there are too many frames to decode */
export function checkFrames(context: WorkerContext, source: Source, frames: number): void {
  if (frames > MAX_FRAMES) throw imageTooLarge(`${MAX_FRAMES} frames`, `${frames} frames`);
  checkSourceSize(context, source, frames);
}

export type Decoding = Omit<OpenRequest, 'tolerant'>;

export interface DecodingRequest {
  /** Whether all frames are decoded. */
  animation: boolean;
  /** How each result is encoded; empty if that is decided elsewhere. */
  encodings: readonly { output: OutputFormat; params: ColourParams }[];
  /** Whether the result of the steps is read several times, so that rows cannot be streamed. */
  isReadAgain?: boolean;
  /** Whether a step measures the image. */
  isMeasured?: boolean;
}

/**
 * @param done the steps that are done
 * @throws Failure `image_too_large` if the image takes more memory than one task may use
 */
export function planDecoding(
  context: WorkerContext,
  source: Source,
  done: readonly SizedStep[],
  { animation, encodings, isReadAgain = false, isMeasured = false }: DecodingRequest,
): Decoding {
  const { header } = source;
  const frames = animation ? header.frames : 1;
  const { shrink, size } = source.shrinks && !animation ? decodedSize(done) : FULL_SIZE;
  const inOrder = !isReadAgain && done.every(readsRowsInOrder);
  const sequential = isStreamed(context, source, { frames, shrink, inOrder, isMeasured });
  return { animation, shrink, size, sequential, ...colourFor(header, done, encodings) };
}

/**
 * @param result the size after the steps
 * @throws Failure `image_too_large` if the image and its encoder take more memory than one task may use
 */
export function checkEncodings(
  context: WorkerContext,
  source: Source,
  result: Size,
  { animation, shrink, sequential: streamed, keepDepth }: Decoding,
  encodings: readonly { output: OutputFormat }[],
): void {
  const { header } = source;
  const frames = animation ? header.frames : 1;
  const deep = keepDepth && header.depth > BYTE_BITS;
  for (const { output } of encodings)
    if (!OUTPUTS[output].icon) checkEncoding(context, source, { frames, shrink }, { result, output, streamed, deep });
}

/** What all results can keep. */
function colourFor(
  { hasAlpha }: Pick<Header, 'hasAlpha'>,
  done: readonly SizedStep[],
  encodings: DecodingRequest['encodings'],
): ColourRequest {
  const isRecoloured = done.some(changesColours);
  const requests = encodings.map(({ output, params }) =>
    colourToDecode(output, params, isRecoloured || (hasAlpha && !OUTPUTS[output].alpha)),
  );
  const plain = done.filter(needsPlainSamples);
  const isPlain = plain.length > 0;
  const keeps = (property: keyof ColourRequest): boolean =>
    requests.length > 0 ? requests.every((request) => request[property]) : WHOLE_IMAGE[property];
  return {
    keepProfile: keeps('keepProfile') && !isPlain,
    keepGreyProfile: keeps('keepGreyProfile') && !isPlain,
    keepCodePoints: keeps('keepCodePoints') && !isPlain,
    keepDepth: keeps('keepDepth') && plain.every(({ definition }) => definition.acceptsDepth),
  };
}

/** How much a decoder may shrink an image, if it can. */
interface DecodedSize {
  /** The factor by which it may shrink the image without going below the final size. */
  shrink: Shrink;
  /** The final size, of the upright image. */
  size: Size | undefined;
}

const FULL_SIZE: DecodedSize = { shrink: 1, size: undefined };

/** The decoder may shrink the image to the size after the first step that depends on its scale, if that resizes. */
function decodedSize(done: readonly SizedStep[]): DecodedSize {
  const at = done.findIndex((step) => !isScaleIndependent(step));
  const first = done[at];
  const scaled = first?.definition.decodesSmaller?.(first.params, first.before);
  if (!first || !scaled || isSameSize(first.before, scaled)) return FULL_SIZE;
  const ratio = Math.min(first.before.width / scaled.width, first.before.height / scaled.height);
  if (ratio < 1) return FULL_SIZE;
  const turns = done.slice(0, at).filter(swapsSides).length;
  const isTurned = turns % 2 === 1;
  return {
    shrink: largestShrink(ratio),
    size: isTurned ? { width: scaled.height, height: scaled.width } : scaled,
  };
}

const swapsSides = ({ definition, params }: BoundStep): boolean => definition.swapsSides?.(params) === true;
