/** Makes the response from the image after the steps: its metadata, its encoding and the warnings. */

import { isDeep } from '../../../codecs/colour.ts';
import { copyToMemory, type DecodedImage, decodedBytes } from '../../../codecs/decoded-image.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import { readFacts } from '../../../codecs/facts/index.ts';
import { isOutput, OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import type { Metadata } from '../../../codecs/metadata/metadata.ts';
import type { OpenedImage, Source } from '../../../codecs/source.ts';
import type { ColourRequest } from '../../../codecs/working-space.ts';
import type { WorkerContext } from '../../context.ts';
import { fingerprintOf } from '../../quality/measure.ts';
import type { ImageResult, Warning } from '../../result.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import type { Resolution } from '../../steps/step.ts';
import { encoderFailed } from '../retry-truncated.ts';
import { BYTE_BITS, sourceWarnings } from '../source-warnings.ts';
import { transferable } from '../transferable.ts';
import { encodeResult, encodesRepeatedly, MAX_QUALITY } from './encode.ts';
import { keptGainMap, type ShownPart } from './gain-map.ts';
import { dropsMetadata, keepsAllMetadata, originalFile, resultMetadata } from './metadata.ts';
import type { RecompressedFile } from './recompress.ts';

/**
 * Which colours and depth must be decoded for a result.
 * @param isRecoloured whether steps paint or change colours, which they only can in sRGB
 */
export function colourToDecode(output: OutputFormat, params: ColourParams, isRecoloured: boolean): ColourRequest {
  const { holds, grey, codePoints } = OUTPUTS[output];
  const keepProfile = params.metadata !== 'strip' && holds.icc;
  const staysGrey = grey === 'always' || (grey === 'lossless' && isWrittenLosslessly(output, params));
  return {
    keepProfile,
    keepGreyProfile: keepProfile && staysGrey && !isRecoloured,
    keepCodePoints: codePoints === true && !isRecoloured,
    keepDepth: maxDepth(output, params) > BYTE_BITS,
  };
}

export type ColourParams = Pick<EncodingParams, 'metadata' | 'mode' | 'quality' | 'target_bytes'>;

/** Most bits per sample of a result. */
export function maxDepth(output: OutputFormat, params: ColourParams): number {
  const { depth } = OUTPUTS[output];
  return isWrittenLosslessly(output, params) ? depth.lossless : depth.lossy;
}

function isWrittenLosslessly(output: OutputFormat, { mode, quality, target_bytes }: ColourParams): boolean {
  const { lossy, palette } = OUTPUTS[output];
  const keepsColours = palette === true && mode === 'quality' && target_bytes === undefined && quality === MAX_QUALITY;
  return mode === 'lossless' || !lossy || keepsColours;
}

export interface ProcessedImage {
  bytes: Uint8Array;
  /** The page that the request names. */
  page: number | undefined;
  /** The unchanged source. */
  stored: Source;
  /** The source as it was opened. */
  source: Source;
  opened: OpenedImage;
  /** Whether all frames of the source were kept. */
  animation: boolean;
  /** Whether rows come once, from top to bottom. */
  sequential: boolean;
  image: DecodedImage;
  /** Whether no pixels of the image are still to be computed. */
  isComputed: boolean;
  /** Result of recompressing a JPEG without decoding its pixels. */
  recompressed?: RecompressedFile | undefined;
  output: OutputFormat;
  params: EncodingParams;
  resolution: Resolution;
  /** Whether no pixel was changed and none is missing. */
  unchanged: boolean;
  /** The part of the source that the result shows in its own colours; undefined if it shows anything else. */
  shown: ShownPart | undefined;
  /** Warnings of the steps. */
  warnings: readonly Warning[];
  /** When the work began, and when the pixels were decoded. */
  started: number;
  decodedAt: number;
}

/** @throws Failure `image_too_large` if the image after the steps needs more memory than one request may use */
function checkMemory({ limits }: WorkerContext, image: DecodedImage): void {
  const bytes = decodedBytes(image);
  if (bytes > limits.decodedBytes) {
    throw imageTooLarge(`${limits.decodedBytes} bytes of decoded pixels`, `an image and a request that need ${bytes}`);
  }
}

export async function writeResult(context: WorkerContext, finished: ProcessedImage): Promise<ImageResult> {
  const { bytes, page, stored, source, opened, animation, sequential, output, params, resolution, unchanged, shown } =
    finished;
  const { started, decodedAt } = finished;
  const { header } = source;
  const { format } = header;
  const inMemory = !sequential || encodesRepeatedly(params, output, finished.image.frames[0]);
  if (inMemory) checkMemory(context, finished.image);
  // Several encodings would compute the pixels several times.
  const image = inMemory && !finished.isComputed ? copyToMemory(finished.image) : finished.image;
  const processedAt = performance.now();

  const [{ width, height }] = image.frames;
  const { gainMap: storedMap, ...carried } = readMetadata(format, bytes);
  const gainMap = await keptGainMap(context, {
    gainMap: storedMap,
    header: stored.header,
    page,
    shown,
    output,
    params,
  });
  const described: Metadata = gainMap ? { ...carried, gainMap } : carried;
  const metadata = resultMetadata({ stored: described, params, output, image, dpi: resolution.dpi, unchanged });
  const encoded = await encodeResult({
    context,
    image,
    recompressed: finished.recompressed,
    output,
    params,
    metadata,
    original: unchanged && isOutput(format) ? originalFile(bytes, format, metadata, params) : undefined,
    sourceBytes: bytes.length,
    inMemory,
  }).catch((error: unknown) => {
    throw inMemory ? encoderFailed(error) : error;
  });

  const isWholeFile = encoded.isKept && keepsAllMetadata(params);
  const facts = readFacts(format, bytes, page ?? 1);
  const lacksMetadata = !isWholeFile && dropsMetadata(facts, metadata, params, opened.converted);
  // Also a file that is kept may have lost its map with its metadata.
  const dropsGainMap = storedMap !== undefined && readMetadata(output, encoded.bytes).gainMap === undefined;
  const depth = encoded.isKept ? header.storedDepth : isDeep(image.frames[0]) ? maxDepth(output, params) : BYTE_BITS;
  return {
    data: transferable(encoded.bytes),
    format: output,
    width,
    height,
    dpi: metadata.density ? Math.round(metadata.density.x) : null,
    outcome: encoded.outcome,
    warnings: [
      ...sourceWarnings({ header, page, animation, converted: opened.converted, depth }),
      ...finished.warnings,
      ...resolution.warnings,
      ...(lacksMetadata ? (['metadata_dropped'] as const) : []),
      ...(dropsGainMap ? (['gain_map_dropped'] as const) : []),
      ...encoded.warnings,
    ],
    source: { format, bytes: bytes.length, width: stored.header.width, height: stored.header.height },
    ...(encoded.similarity === undefined ? {} : { similarity: encoded.similarity }),
    ...(encoded.explain === undefined ? {} : { explain: encoded.explain }),
    ...(params.fingerprint ? { fingerprint: await fingerprintOf(source) } : {}),
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
  };
}
