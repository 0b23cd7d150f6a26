/**
 * Recompresses JPEG to JPEG, also with a crop and turns, on the coefficients. Decoding to pixels would cost time and
 * quality.
 */

import type { Header } from '../../../codecs/decoded-image.ts';
import { jpegQuality } from '../../../codecs/facts/jpeg.ts';
import { FORMATS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import type { Area, Turn } from '../../../codecs/jpeg/requantize.ts';
import { compressJpeg } from '../../../codecs/jpeg.ts';
import { composeTurns, turnOf } from '../../../codecs/orient.ts';
import type { OpenedImage, OpenRequest, Source } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import { type CoefficientChange, changesPixels, type SizedStep } from '../../steps/step.ts';

/** At this quality all quantisation steps are 1. */
const MAX_QUALITY = 100;

export interface Recompression {
  /**
   * As requested. If no block moves, the quality is at most that of the source: more bytes would not improve the image.
   */
  params: EncodingParams;
  /** Undefined if the pixels are needed. */
  recompressed?: {
    /** The opened image, whose pixels are not decoded. */
    opened: OpenedImage;
    /** The file without its metadata; `same` if its coefficients need no change. */
    file: RecompressedFile;
  };
}

export type RecompressedFile = Uint8Array<ArrayBuffer> | 'same';

interface RecompressRequest {
  bytes: Uint8Array;
  source: Source;
  output: OutputFormat;
  params: EncodingParams;
  request: Omit<OpenRequest, 'sequential'>;
  /** The steps that are done; undefined if the pixels are needed in any case. */
  steps: readonly SizedStep[] | undefined;
  /** Whether a new file is needed even if the samples stay the same. */
  writesSame: boolean;
}

/** Recompresses if a JPEG is requested from a JPEG. Returns only the parameters for all other requests. */
export async function recompress(
  { modules }: Pick<WorkerContext, 'modules'>,
  { bytes, source, output, params, request, steps, writesSame }: RecompressRequest,
): Promise<Recompression> {
  const { header } = source;
  const { mode, target_bytes, score } = params;
  const isJpeg = header.format === output && FORMATS[output].jpegStream;
  const isPlain = mode === 'quality' && target_bytes === undefined && !score;
  if (!isJpeg || !isPlain || !steps || request.tolerant) return { params };
  const change = onCoefficients(steps, turnOf(header.orientation));
  if (!change) return { params };
  const { area, turn } = change;
  const opened = await source.open({ ...request, sequential: true });
  if (opened.converted) return { params };
  const own = jpegQuality(bytes) ?? MAX_QUALITY;
  const file = compressJpeg(modules, bytes, {
    area: area && storedArea(area, header),
    turn,
    quality: params.quality > own ? MAX_QUALITY : params.quality,
    writesSame,
  });
  if (file) return { params, recompressed: { opened, file } };
  // A crop has different blocks: keeping their quality may take more bytes than the source used.
  return { params: area === undefined ? { ...params, quality: Math.min(params.quality, own) } : params };
}

/** Converts an area of the upright image to pixels of the file. */
function storedArea({ x, y, width, height }: Area, header: Header): Area {
  const { transposes, mirrorsAcross, mirrorsDown } = turnOf(header.orientation);
  const left = mirrorsAcross ? header.width - x - width : x;
  const top = mirrorsDown ? header.height - y - height : y;
  return transposes ? { x: top, y: left, width: height, height: width } : { x: left, y: top, width, height };
}

/**
 * Combines the steps: at most one crop, then turns.
 * @param upright the turn that makes the image upright
 * @returns undefined if a step needs the pixels
 */
function onCoefficients(
  steps: readonly SizedStep[],
  upright: Turn,
): { area: Area | undefined; turn: Turn } | undefined {
  let combined: { area: Area | undefined; turn: Turn } = { area: undefined, turn: upright };
  let canCrop = true;
  for (const step of steps) {
    const { definition, params, before, after } = step;
    if (!definition.apply) continue;
    const change: CoefficientChange | undefined = definition.onCoefficients?.(params, before, after);
    if (!change && !changesPixels(step)) continue;
    if (!change || (change.area && !canCrop)) return undefined;
    canCrop &&= !change.area && !change.turn;
    combined = {
      area: change.area ?? combined.area,
      turn: change.turn ? composeTurns(combined.turn, change.turn) : combined.turn,
    };
  }
  return combined;
}
