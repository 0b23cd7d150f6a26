/** How a source is decoded so that one task holds no more than it may. */
import { imageTooLarge } from '../../codecs/errors.ts';
import type { OutputFormat } from '../../codecs/formats.ts';
import type { Shrink } from '../../codecs/shrink.ts';
import type { Source } from '../../codecs/source.ts';
import { encodingBytes } from '../../codecs/write.ts';
import type { WorkerContext } from '../context.ts';
import type { EngineLimits } from '../settings.ts';
import type { Size } from '../steps/step.ts';

/** Decoded pictures above this size are streamed through the steps where the request allows it. */
const STREAM_FROM_BYTES = 64 * 2 ** 20;
/** As the decoder gives it, and as it is held for the steps. */
const WHOLE_COPIES = 2;
/** Part of the limit from which on a picture is streamed: its copies, the result and the encoder need the rest. */
const STREAM_FROM_SHARE = 1 / 8;

export interface Decoding {
  frames: number;
  shrink: Shrink;
  /** Every step takes the rows in the order in which a decoder gives them. */
  inOrder: boolean;
}

/** Bytes that decoding a picture as a whole takes at its height, from its header. */
export function heldBytes(
  { header, workingBytes, decoderBytes }: Pick<Source, 'header' | 'workingBytes' | 'decoderBytes'>,
  { frames, shrink }: Pick<Decoding, 'frames' | 'shrink'>,
): number {
  const pixels = (header.width * header.height) / shrink ** 2;
  const pictureBytes = pixels * frames * header.bytesPerPixel * WHOLE_COPIES;
  return pictureBytes + Math.max(workingBytes / shrink ** 2, decoderBytes);
}

/** A task holds much more than it is counted with. It has not begun: the pool starts it again when there is room. */
export class NeedsMemory extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`the task needs ${bytes} bytes`);
    this.bytes = bytes;
  }
}

/** What a task may hold beyond what it is counted with, which is an estimate. */
const UNCOUNTED_BYTES = 64 * 2 ** 20;

/**
 * @throws Failure `image_too_large` when decoding the picture as a whole would take more than one task may hold
 * @throws NeedsMemory when it would take much more than the task is counted with
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
 * @throws Failure `image_too_large` when a task that holds so many bytes of pictures at a time would hold too many
 * @throws NeedsMemory when that is much more than the task is counted with
 */
export function checkBytes({ limits, countedBytes }: Limited, bytes: number): void {
  if (bytes > limits.decodedBytes)
    throw imageTooLarge(
      `${limits.decodedBytes} bytes of decoded pixels`,
      `a picture and a request that need ${Math.ceil(bytes)}`,
    );
  if (bytes > countedBytes + UNCOUNTED_BYTES) throw new NeedsMemory(bytes);
}

/** What becomes of a picture that was decoded. */
interface Encoding {
  /** Of a frame. */
  result: Size;
  output: OutputFormat;
  /** Rows come from the decoder as they are written. */
  streamed: boolean;
}

/** @throws Failure `image_too_large` when the picture and its encoder together would take more than one task may hold */
export function checkEncoding(
  context: Limited,
  source: Source,
  decoding: Pick<Decoding, 'frames' | 'shrink'>,
  { result, output, streamed }: Encoding,
): void {
  checkBytes(context, (streamed ? source.decoderBytes : heldBytes(source, decoding)) + encodingBytes(output, result));
}

/**
 * Whether the rows are to be streamed through the steps instead of decoding the picture as a whole.
 * @throws Failure `image_too_large` when the whole does not fit and cannot be streamed
 */
export function isStreamed(context: Limited, source: Source, { frames, shrink, inOrder }: Decoding): boolean {
  const { limits } = context;
  const { width, height, bytesPerPixel, orientation } = source.header;
  const bytes = (width * height * frames * bytesPerPixel) / shrink ** 2;
  const streamFrom = Math.min(STREAM_FROM_BYTES, limits.decodedBytes * STREAM_FROM_SHARE);
  const streamed = source.streams && bytes > streamFrom && inOrder && orientation === 1;
  if (!streamed) checkHeldBytes(context, source, { frames, shrink });
  return streamed;
}
