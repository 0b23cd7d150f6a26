/** JPEG to JPEG, cropped and turned or not: on coefficients, where pixels would cost time and quality. */

import { jpegQuality } from '../../../codecs/facts/jpeg.ts';
import type { OutputFormat } from '../../../codecs/formats.ts';
import type { Area, Turn } from '../../../codecs/jpeg/requantize.ts';
import { compressJpeg } from '../../../codecs/jpeg.ts';
import { turnOf } from '../../../codecs/orient.ts';
import type { Header } from '../../../codecs/picture.ts';
import type { OpenedPicture, OpenRequest, Source } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import { cropArea } from '../../steps/crop.ts';
import type { CompressParams } from './params.ts';

export interface Recompressed {
  /** None of its pixels are decoded. */
  opened: OpenedPicture;
  /** The file without its metadata; `same` where its coefficients are as they shall be. */
  file: Uint8Array | 'same';
}

/** Whether a JPEG becomes another one at a quality; to be asked where no sample is changed for anything else. */
export function isRecompression(
  { format }: Pick<Header, 'format'>,
  output: OutputFormat,
  { mode, target_bytes, score }: CompressParams,
): boolean {
  return format === 'jpeg' && output === 'jpeg' && mode === 'quality' && target_bytes === undefined && !score;
}

/** The quality that is asked for, or that of the source where it is no better: more bytes would show nothing else. */
export function usefulQuality(bytes: Uint8Array, { quality, crop }: CompressParams): number {
  // The blocks of a part are others: to keep what was there takes more than was spent on it.
  if (crop !== undefined) return quality;
  return Math.min(quality, jpegQuality(bytes) ?? MAX_QUALITY);
}

/** @returns undefined where pixels are needed */
export async function recompress(
  { modules }: Pick<WorkerContext, 'modules'>,
  { bytes, source, params, request, writesSame }: RecompressRequest,
): Promise<Recompressed | undefined> {
  const { header } = source;
  const opened = await source.open({ ...request, sequential: true });
  if (opened.converted) return undefined;
  const own = jpegQuality(bytes) ?? MAX_QUALITY;
  const file = compressJpeg(modules, bytes, {
    area: params.crop === undefined ? undefined : storedArea(cropArea(header, params.crop), header),
    turn: turnAsAsked(header.orientation, params),
    quality: params.quality > own ? MAX_QUALITY : params.quality,
    writesSame,
  });
  return file && { opened, file };
}

/** An area of the upright picture, in pixels of the file. */
function storedArea({ x, y, width, height }: Area, header: Header): Area {
  const { transposes, mirrorsAcross, mirrorsDown } = turnOf(header.orientation);
  const left = mirrorsAcross ? header.width - x - width : x;
  const top = mirrorsDown ? header.height - y - height : y;
  return transposes ? { x: top, y: left, width: height, height: width } : { x: left, y: top, width, height };
}

interface RecompressRequest {
  bytes: Uint8Array;
  source: Source;
  params: CompressParams;
  request: Omit<OpenRequest, 'sequential'>;
  /** The file itself is not what is asked for, even with the same samples. */
  writesSame: boolean;
}

/** Of it no step of a table is larger than 1. */
const MAX_QUALITY = 100;

/** Orientations of EXIF that are quarter turns clockwise, by their degrees. */
const ORIENTATIONS: Readonly<Record<number, number>> = { 0: 1, 90: 6, 180: 3, 270: 8 };

/** In the order of the interface: upright, flipped, rotated. */
function turnAsAsked(orientation: number, { flip, rotate }: Pick<CompressParams, 'flip' | 'rotate'>): Turn {
  const flipped = { transposes: false, mirrorsAcross: flip.includes('h'), mirrorsDown: flip.includes('v') };
  const rotated = turnOf(ORIENTATIONS[(rotate + 360) % 360]!);
  return followedBy(followedBy(turnOf(orientation), flipped), rotated);
}

/** One turn for two. */
function followedBy(first: Turn, { transposes, mirrorsAcross, mirrorsDown }: Turn): Turn {
  const [across, down] = transposes
    ? [first.mirrorsDown, first.mirrorsAcross]
    : [first.mirrorsAcross, first.mirrorsDown];
  return {
    transposes: first.transposes !== transposes,
    mirrorsAcross: across !== mirrorsAcross,
    mirrorsDown: down !== mirrorsDown,
  };
}
