/**
 * Recompresses JPEG to JPEG, also with a crop and turns, on the coefficients. Decoding to pixels would cost time and
 * quality.
 */

import { jpegQuality } from '../../../codecs/facts/jpeg.ts';
import { FORMATS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import type { Area, Turn } from '../../../codecs/jpeg/requantize.ts';
import { compressJpeg } from '../../../codecs/jpeg.ts';
import { turnOf } from '../../../codecs/orient.ts';
import type { Header } from '../../../codecs/picture.ts';
import type { OpenedImage, OpenRequest, Source } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import { cropArea } from '../../steps/crop.ts';
import type { CompressParams } from './params.ts';

/** At this quality all quantisation steps are 1. */
const MAX_QUALITY = 100;

export interface Recompression {
  /**
   * As requested. If no block moves, the quality is at most that of the source: more bytes would not improve the image.
   */
  params: CompressParams;
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
  params: CompressParams;
  request: Omit<OpenRequest, 'sequential'>;
  /** Whether samples are changed, not only moved or cropped. */
  changesSamples: boolean;
  /** Whether a new file is needed even if the samples stay the same. */
  writesSame: boolean;
}

/** Recompresses if a JPEG is requested from a JPEG. Returns only the parameters for all other requests. */
export async function recompress(
  { modules }: Pick<WorkerContext, 'modules'>,
  { bytes, source, output, params, request, changesSamples, writesSame }: RecompressRequest,
): Promise<Recompression> {
  const { header } = source;
  const { mode, target_bytes, score, crop } = params;
  const isJpeg = header.format === output && FORMATS[output].jpegStream;
  const isPlain = mode === 'quality' && target_bytes === undefined && !score && !changesSamples;
  if (!isJpeg || !isPlain || request.tolerant) return { params };
  const opened = await source.open({ ...request, sequential: true });
  if (opened.converted) return { params };
  const own = jpegQuality(bytes) ?? MAX_QUALITY;
  const file = compressJpeg(modules, bytes, {
    area: crop === undefined ? undefined : storedArea(cropArea(header, crop), header),
    turn: requestedTurn(header.orientation, params),
    quality: params.quality > own ? MAX_QUALITY : params.quality,
    writesSame,
  });
  if (file) return { params, recompressed: { opened, file } };
  // A crop has different blocks: keeping their quality may take more bytes than the source used.
  return { params: crop === undefined ? { ...params, quality: Math.min(params.quality, own) } : params };
}

/** Converts an area of the upright image to pixels of the file. */
function storedArea({ x, y, width, height }: Area, header: Header): Area {
  const { transposes, mirrorsAcross, mirrorsDown } = turnOf(header.orientation);
  const left = mirrorsAcross ? header.width - x - width : x;
  const top = mirrorsDown ? header.height - y - height : y;
  return transposes ? { x: top, y: left, width: height, height: width } : { x: left, y: top, width, height };
}

/** EXIF orientations that are clockwise quarter turns, by their degrees. */
const ORIENTATIONS: Readonly<Record<number, number>> = { 0: 1, 90: 6, 180: 3, 270: 8 };

/** In the order that the API defines: upright, flipped, rotated. */
function requestedTurn(orientation: number, { flip, rotate }: Pick<CompressParams, 'flip' | 'rotate'>): Turn {
  const flipped = { transposes: false, mirrorsAcross: flip.includes('h'), mirrorsDown: flip.includes('v') };
  const rotated = turnOf(ORIENTATIONS[(rotate + 360) % 360]!);
  return composeTurns(composeTurns(turnOf(orientation), flipped), rotated);
}

/** Combines two turns. */
function composeTurns(first: Turn, { transposes, mirrorsAcross, mirrorsDown }: Turn): Turn {
  const [across, down] = transposes
    ? [first.mirrorsDown, first.mirrorsAcross]
    : [first.mirrorsAcross, first.mirrorsDown];
  return {
    transposes: first.transposes !== transposes,
    mirrorsAcross: across !== mirrorsAcross,
    mirrorsDown: down !== mirrorsDown,
  };
}
