/** Chooses the format of a result by what the client accepts (RFC 9110, section 12.5.1), and by the source. */
import { sizeOf } from '../../codecs/dimensions.ts';
import { FORMATS, type InputFormat, OUTPUTS, type OutputFormat, WEB_FORMATS } from '../../codecs/formats/registry.ts';
import { recogniseBySignature } from '../../codecs/sniff.ts';
import { compress } from '../../engine/operations/compress/definition.ts';
import type { ImageParams } from './options.ts';

const [SMALLEST, USUAL, ALWAYS] = ['avif', 'webp', 'jpeg'] as const satisfies readonly OutputFormat[];

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
  params: Pick<ImageParams, 'width' | 'height' | 'dpr' | 'mode' | 'quality'>,
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
  return { format: source && isWeb(source) ? 'auto' : ALWAYS, quality };
}

const KEPT: readonly string[] = (compress.output as { kept?: readonly string[] }).kept ?? [];

/** Sources that are lossy and opaque, and that every browser shows: WebP would not be smaller at the same quality. */
const isPhotograph = (source: InputFormat): boolean =>
  source in OUTPUTS && !OUTPUTS[source as OutputFormat].alpha && OUTPUTS[source as OutputFormat].lossy && isWeb(source);

const isWeb = (format: InputFormat): boolean => WEB_FORMATS.includes(format);

/** Pixels of the result; infinitely many if the size of the source is not known. */
function pixelsOf(
  { width, height, dpr }: Pick<ImageParams, 'width' | 'height' | 'dpr'>,
  size: { width: number; height: number } | undefined,
): number {
  if (!size) return Number.POSITIVE_INFINITY;
  const scale = (asked: number | undefined, side: number) => Math.min(1, ((asked ?? side) * dpr) / side);
  return size.width * size.height * Math.min(scale(width, size.width), scale(height, size.height)) ** 2;
}
