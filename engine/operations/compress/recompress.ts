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

/** Of it no step of a table is larger than 1. */
const MAX_QUALITY = 100;

export interface Recompression {
  /** As asked, with no quality above that of the source where no block moves: more bytes would show nothing else. */
  params: CompressParams;
  /** Undefined where pixels are needed. */
  recompressed?: {
    /** None of its pixels are decoded. */
    opened: OpenedPicture;
    /** The file without its metadata; `same` where its coefficients are as they shall be. */
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
  /** Samples are to be changed, not only moved or left out. */
  changesSamples: boolean;
  /** The file itself is not what is asked for, even with the same samples. */
  writesSame: boolean;
}

/** What becomes of a request that makes another JPEG of a JPEG; of every other one nothing. */
export async function recompress(
  { modules }: Pick<WorkerContext, 'modules'>,
  { bytes, source, output, params, request, changesSamples, writesSame }: RecompressRequest,
): Promise<Recompression> {
  const { header } = source;
  const { mode, target_bytes, score, crop } = params;
  const isJpeg = header.format === 'jpeg' && output === 'jpeg';
  const isPlain = mode === 'quality' && target_bytes === undefined && !score && !changesSamples;
  if (!isJpeg || !isPlain || request.tolerant) return { params };
  const opened = await source.open({ ...request, sequential: true });
  if (opened.converted) return { params };
  const own = jpegQuality(bytes) ?? MAX_QUALITY;
  const file = compressJpeg(modules, bytes, {
    area: crop === undefined ? undefined : storedArea(cropArea(header, crop), header),
    turn: turnAsAsked(header.orientation, params),
    quality: params.quality > own ? MAX_QUALITY : params.quality,
    writesSame,
  });
  if (file) return { params, recompressed: { opened, file } };
  // The blocks of a crop are others: to keep what was there takes more than was spent on it.
  return { params: crop === undefined ? { ...params, quality: Math.min(params.quality, own) } : params };
}

/** An area of the upright picture, in pixels of the file. */
function storedArea({ x, y, width, height }: Area, header: Header): Area {
  const { transposes, mirrorsAcross, mirrorsDown } = turnOf(header.orientation);
  const left = mirrorsAcross ? header.width - x - width : x;
  const top = mirrorsDown ? header.height - y - height : y;
  return transposes ? { x: top, y: left, width: height, height: width } : { x: left, y: top, width, height };
}

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
