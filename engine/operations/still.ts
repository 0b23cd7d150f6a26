/** Opens and encodes a still image, for the operations that need every pixel of one page. */

import { hasAlpha, isDeep, sampleMax, toBytes } from '../../codecs/colour.ts';
import { type Header, imageInMemory } from '../../codecs/decoded-image.ts';
import { type InputFormat, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import type { Metadata } from '../../codecs/metadata/metadata.ts';
import { hasFewColours } from '../../codecs/pixel-facts.ts';
import type { PngSettings } from '../../codecs/png.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import type { Shrink } from '../../codecs/shrink.ts';
import { decode, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { Image } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import { encodeCandidate, lossyEncoding } from '../quality/candidate.ts';
import type { ImageResult, Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import { flatten } from '../steps/canvas.ts';
import { checkBytes, isStreamed } from './decoding.ts';
import type { TaskEstimate } from './definition.ts';
import { encoderFailed } from './retry-truncated.ts';
import { checkSourceSize } from './source-size.ts';
import { BYTE_BITS, depthWarnings, sourceWarnings } from './source-warnings.ts';
import { wholeImageBytes } from './whole-image.ts';

export interface Still {
  /** Header of the whole image, even if it was decoded smaller or rendered larger. */
  header: Header;
  /** Upright, sRGB or grey, 8 bits (or 16, if kept), optionally with alpha; in memory. */
  frame: Image;
  warnings: Warning[];
  source: ImageResult['source'];
}

export interface StillRequest {
  /** Of the operation. */
  estimate: TaskEstimate | undefined;
  /** The page that the request names. */
  page: number | undefined;
  /** Accept a file that ends early, as far as it can be read. */
  tolerant: boolean;
  /** Keep 16 bits per sample. Default: false. */
  keepDepth?: boolean;
  /** Factor by which the image may be decoded smaller; 1 by default. */
  shrink?: (header: Header) => Shrink;
  /** Factor by which a vector image is rendered larger; 1 by default. */
  scale?: (header: Header) => number;
  /** Refuses an image that the operation does not accept, before it is decoded. */
  check?: (header: Header) => void;
}

/** @throws Failure as for `openSource`, `image_too_large`, and anything that `check` throws */
export async function openStill(
  context: WorkerContext,
  { data, filename }: SourceFile,
  { estimate, page, tolerant, keepDepth = false, shrink = () => 1, scale = () => 1, check }: StillRequest,
): Promise<Still> {
  const bytes = new Uint8Array(data);
  const format: InputFormat = await formatOf(bytes, filename);
  const stored = await openSource(context, { bytes, format, page, filename });
  const { header } = stored;
  check?.(header);
  const source = stored.scaled?.(scale(header)) ?? stored;
  checkSourceSize(context, source, 1);
  const factor = source.shrinks ? shrink(header) : 1;
  // Called for its check of the memory of the decoded image.
  isStreamed(context, source, { frames: 1, shrink: factor, inOrder: false });
  // If the main thread could not read the size, less memory is reserved than the operation needs.
  const heldBytes = wholeImageBytes((source.header.width * source.header.height) / factor ** 2, estimate);
  checkBytes(context, Math.min(context.limits.decodedBytes, heldBytes));
  const opened = await decode(context.vips, source, { ...WHOLE_IMAGE, keepDepth, shrink: factor, tolerant });
  const [frame] = opened.frames;
  return {
    header,
    frame,
    warnings: sourceWarnings({ header, page, converted: opened.converted, depth: undefined }),
    source: { format, bytes: bytes.length, width: header.width, height: header.height },
  };
}

/**
 * The output format for a source: its own if the operation writes it; otherwise PNG for images with transparency or few
 * colours, and JPEG for the rest.
 */
export function sourceFormat<F extends OutputFormat>(
  { modules }: WorkerContext,
  format: InputFormat,
  frame: Image,
  written: readonly F[],
): F | 'png' | 'jpeg' {
  const own = written.find((candidate) => candidate === format);
  if (own) return own;
  return hasAlpha(frame) || hasFewColours(modules, frame) ? 'png' : 'jpeg';
}

/** Quality of results that are not optimised for size (specification, blur-faces). */
const QUALITY = 92;
const WHITE = '#ffffff';

export interface EncodedStill {
  bytes: Uint8Array;
  warnings: Warning[];
}

export interface StillEncoding {
  format: OutputFormat;
  /** Header of the source; undefined if the image has none of its samples. */
  header: Header | undefined;
  metadata?: Metadata;
  png?: PngSettings;
}

/** Encodes a finished image: losslessly for formats that usually are, otherwise at a quality without visible loss. */
export async function encodeStill(
  context: WorkerContext,
  image: Image,
  { format, header, metadata = {}, png = {} }: StillEncoding,
): Promise<EncodedStill> {
  const { alpha, usuallyLossless, depth } = OUTPUTS[format];
  const written = isDeep(image) ? (usuallyLossless ? depth.lossless : depth.lossy) : BYTE_BITS;
  const frame = written > BYTE_BITS ? image : toBytes(image);
  const flattens = hasAlpha(frame) && !alpha;
  const painted = flattens ? flatten(frame, { background: WHITE }) : frame;
  const seeThrough = flattens && frame.extractBand(frame.bands - 1).min() < sampleMax(frame);
  const finished = { frames: [imageInMemory(painted)] as [Image], timing: null, icc: undefined };
  const encoding = usuallyLossless ? { lossless: true as const, png } : lossyEncoding(QUALITY);
  try {
    const { data } = await encodeCandidate(context, finished, format, encoding, metadata);
    return {
      bytes: data,
      warnings: [
        ...(header ? depthWarnings(header, written) : []),
        ...(seeThrough ? (['alpha_flattened'] as const) : []),
      ],
    };
  } catch (error) {
    throw encoderFailed(error);
  }
}
