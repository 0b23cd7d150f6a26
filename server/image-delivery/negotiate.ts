/** Chooses the format of a result by what the client accepts (RFC 9110, section 12.5.1), and by the source. */
import type { Size } from '../../base/geometry.ts';
import { sizeOf } from '../../codecs/dimensions.ts';
import type { Format } from '../../codecs/formats/format.ts';
import { FORMATS, type InputFormat, isOutput, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import { recogniseBySignature } from '../../codecs/sniff.ts';
import { compress } from '../../engine/operations/compress/definition.ts';
import { inPixels, planResize, type SizeRequest } from '../../engine/steps/resize.ts';
import type { ImageParams } from './options.ts';

const [SMALLEST, USUAL] = ['avif', 'webp'] as const satisfies readonly OutputFormat[];
/** For clients that name neither, and sources that not every client shows. */
const ALWAYS = { photograph: 'jpeg', transparent: 'png', animated: 'gif' } as const satisfies Record<
  string,
  OutputFormat
>;

/** Formats that clients name in Accept because not all of them read it, best first. */
const NEGOTIATED = [SMALLEST, USUAL] as const;

/** Above this many pixels, AVIF takes more than two seconds of processor time. */
const MAX_AVIF_PIXELS = 4_000_000;

/**
 * Qualities of AVIF that look like those of JPEG: equal SSIMULACRA2, the median of seven photographs of 640 pixels. AVIF
 * then has 0.65 to 1.0 of the bytes, WebP of the same number as many as JPEG.
 */
const AVIF_QUALITIES: readonly (readonly [jpeg: number, avif: number])[] = [
  [1, 10],
  [50, 48],
  [60, 52],
  [75, 60],
  [85, 68],
  [100, 95],
];

/** Returns the quality of AVIF that looks like a quality of JPEG. */
export function avifQuality(quality: number): number {
  const above = Math.max(
    1,
    AVIF_QUALITIES.findIndex(([jpeg]) => jpeg >= quality),
  );
  const [[fromJpeg, fromAvif], [toJpeg, toAvif]] = [AVIF_QUALITIES[above - 1]!, AVIF_QUALITIES[above]!];
  return Math.round(fromAvif + ((quality - fromJpeg) / (toJpeg - fromJpeg)) * (toAvif - fromAvif));
}

/** Returns the negotiated formats that a client names, best first. Wildcards do not count: every client sends them. */
export function acceptedFormats(accept: string): OutputFormat[] {
  const types = accept
    .split(',')
    .map((part) => part.trim().toLowerCase().split(';'))
    .filter(([, ...parameters]) => !parameters.some((each) => /^\s*q\s*=\s*0(?:[.]0*)?\s*$/.test(each)))
    .map(([type]) => type!.trim());
  return NEGOTIATED.filter((format) => FORMATS[format].contentTypes.some((type) => types.includes(type)));
}

/** What an address leaves open until the client and the source are known. */
export type Negotiated = Pick<ImageParams, 'format' | 'quality'>;

/**
 * Returns the format of a result whose address leaves it open, and the quality that looks like the one asked for.
 * @param accepted formats that the client names
 * @param data the source
 */
export function negotiate(
  accepted: readonly OutputFormat[],
  data: ArrayBuffer,
  params: SizeRequest & Pick<ImageParams, 'mode' | 'quality'>,
): Negotiated {
  const { mode, quality } = params;
  const bytes = new Uint8Array(data);
  const source = recogniseBySignature(bytes);
  // A drawing stays one where nothing asks for pixels; compress decides.
  if (source && KEPT.includes(source)) return { format: 'auto', quality };
  const size = source && sizeOf(bytes, source);
  const isAnimated = (size?.frames ?? 1) > 1;
  if (accepted.includes(SMALLEST) && mode !== 'lossless' && !isAnimated && pixelsOf(params, size) <= MAX_AVIF_PIXELS)
    return { format: SMALLEST, quality: avifQuality(quality) };
  if (source && isPhotograph(source)) return { format: 'auto', quality };
  if (accepted.includes(USUAL)) return { format: USUAL, quality };
  return { format: source ? shownFormat(source, bytes, accepted, mode, isAnimated) : ALWAYS.photograph, quality };
}

function shownFormat(
  source: InputFormat,
  bytes: Uint8Array,
  accepted: readonly OutputFormat[],
  mode: ImageParams['mode'],
  isAnimated: boolean,
): ImageParams['format'] {
  // Compress chooses PNG or JPEG for sources whose format is not written.
  if (!isOutput(source) || accepted.includes(source) || isShownByAll(source)) return 'auto';
  if (isAnimated) return ALWAYS.animated;
  return mode === 'lossless' || isTransparent(source, bytes) ? ALWAYS.transparent : ALWAYS.photograph;
}

const KEPT: readonly string[] = (compress.output as { kept?: readonly string[] }).kept ?? [];

/** Sources that are lossy and opaque, and that every browser shows: WebP would not be smaller at the same quality. */
const isPhotograph = (source: InputFormat): boolean =>
  isOutput(source) && !OUTPUTS[source].alpha && OUTPUTS[source].lossy && isShownByAll(source);

/** Whether clients show it that do not name it. */
function isShownByAll(format: InputFormat): boolean {
  const { web }: Format = FORMATS[format];
  return web?.age === 'classic' && web.everywhere === true;
}

function isTransparent(format: InputFormat, bytes: Uint8Array): boolean {
  const { readFacts }: Format = FORMATS[format];
  const { model, channels = 0 } = readFacts?.(bytes, 1).colour ?? {};
  return channels === 2 || (channels === 4 && model !== 'cmyk');
}

/** Pixels of the result; infinitely many if the size of the source is not known. */
function pixelsOf(params: SizeRequest, size: Size | undefined): number {
  if (!size) return Number.POSITIVE_INFINITY;
  const { width, height } = planResize(size, inPixels(params)).canvas;
  return width * height;
}
