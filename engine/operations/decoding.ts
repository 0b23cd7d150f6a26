/** Decides how a source is decoded, so that a task stays within its memory limit. */
import type { Size } from '../../base/geometry.ts';
import { imageTooLarge } from '../../codecs/errors.ts';
import type { OutputFormat } from '../../codecs/formats/registry.ts';
import type { Shrink } from '../../codecs/shrink.ts';
import type { Source } from '../../codecs/source.ts';
import { encodingBytes } from '../../codecs/write.ts';
import type { WorkerContext } from '../context.ts';
import type { EngineLimits } from '../settings.ts';

/** Larger decoded images are streamed through the steps if the request allows it. */
const STREAM_FROM_BYTES = 64 * 2 ** 20;
/** One copy from the decoder, and one held for the steps. */
const COPIES = 2;
/** Images above this share of the limit are streamed: their copies, the result and the encoder need the rest. */
const STREAM_FROM_SHARE = 1 / 8;

export interface Decoding {
  frames: number;
  shrink: Shrink;
  /** Whether every step reads the rows in the order in which the decoder delivers them. */
  inOrder: boolean;
  /**
   * Whether a step measures the image. Then streaming decodes it twice, and reading its rows one by one takes longer: a
   * JPEG of 24 megapixels took 475 ms instead of 188.
   */
  isMeasured?: boolean;
}

/** Peak memory for decoding an image as a whole, in bytes, estimated from its header. */
export function heldBytes(
  { header, workingBytes, decoderBytes }: Pick<Source, 'header' | 'workingBytes' | 'decoderBytes'>,
  { frames, shrink }: Pick<Decoding, 'frames' | 'shrink'>,
): number {
  const pixels = (header.width * header.height) / shrink ** 2;
  const imageBytes = pixels * frames * header.bytesPerPixel * COPIES;
  return imageBytes + Math.max(workingBytes / shrink ** 2, decoderBytes);
}

/**
 * Thrown if a task needs much more memory than reserved. The task has not begun: the pool restarts it when there is
 * enough.
 */
export class NeedsMemory extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`the task needs ${bytes} bytes`);
    this.bytes = bytes;
  }
}

/** How much a task may exceed its reserved memory, which is an estimate. */
const TOLERATED_EXCESS_BYTES = 64 * 2 ** 20;

/**
 * @throws Failure `image_too_large` if decoding the image as a whole takes more memory than one task may use
 * @throws NeedsMemory if it takes much more than reserved for the task
 */
export function checkHeldBytes(
  context: Limited,
  source: Source,
  decoding: Pick<Decoding, 'frames' | 'shrink'> = { frames: 1, shrink: 1 },
): void {
  checkBytes(context, heldBytes(source, decoding));
}

export type Limited = { limits: Pick<EngineLimits, 'decodedBytes'> } & Pick<WorkerContext, 'countedBytes'>;

/**
 * @throws Failure `image_too_large` if this is more memory for images than one task may use
 * @throws NeedsMemory if it is much more than reserved for the task
 */
export function checkBytes({ limits, countedBytes }: Limited, bytes: number): void {
  if (bytes > limits.decodedBytes)
    throw imageTooLarge(
      `${limits.decodedBytes} bytes of decoded pixels`,
      `an image and a request that need ${Math.ceil(bytes)}`,
    );
  if (bytes > countedBytes + TOLERATED_EXCESS_BYTES) throw new NeedsMemory(bytes);
}

/** How a decoded image is encoded. */
interface Encoding {
  /** Size of one frame. */
  result: Size;
  output: OutputFormat;
  /** Whether rows are decoded while they are written. */
  streamed: boolean;
  /** Whether samples have more than 8 bits. */
  deep: boolean;
}

/** @throws Failure `image_too_large` if the image and its encoder together take more memory than one task may use */
export function checkEncoding(
  context: Limited,
  source: Source,
  decoding: Pick<Decoding, 'frames' | 'shrink'>,
  { result, output, streamed, deep }: Encoding,
): void {
  const held = streamed ? source.decoderBytes : heldBytes(source, decoding);
  checkBytes(context, held + encodingBytes(output, result) * (deep ? 2 : 1));
}

/**
 * Whether to stream the rows through the steps instead of decoding the image as a whole.
 * @throws Failure `image_too_large` if the whole image does not fit and cannot be streamed
 */
export function isStreamed(
  context: Limited,
  source: Source,
  { frames, shrink, inOrder, isMeasured = false }: Decoding,
): boolean {
  const { limits } = context;
  const { width, height, bytesPerPixel, orientation } = source.header;
  const bytes = (width * height * frames * bytesPerPixel) / shrink ** 2;
  const share = limits.decodedBytes * STREAM_FROM_SHARE;
  const streamFrom = isMeasured ? share : Math.min(STREAM_FROM_BYTES, share);
  const streamed = source.streams && bytes > streamFrom && inOrder && orientation === 1;
  if (!streamed) checkHeldBytes(context, source, { frames, shrink });
  return streamed;
}
