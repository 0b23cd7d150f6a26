/** Plans the conversion of one content, and runs it in the engine. */

import { extname } from 'node:path/posix';
import { Failure } from '../../../base/failure.ts';
import { type FormatId, findFormat, OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import type { Engine } from '../../../engine/engine.ts';
import { resultFilename, sourceStem } from '../../../engine/file-name.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { ImageResult } from '../../../engine/result.ts';
import type { Owner } from '../../../engine/ticket.ts';
import type { DisplayedSizes } from '../../../storage/ports/site-outputs.ts';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import { AVIF_ID, UNRESIZED_AVIF_ID, UNRESIZED_ID } from '../../../storage/records/site-outputs.ts';
import { fittingScale } from '../displayed-size.ts';
import { MIN_SIMILARITY } from '../findings/content.ts';
import { readFacts } from '../findings/facts.ts';
import { isWorthwhile } from '../findings/savings.ts';
import type { SiteScanSettings } from '../settings.ts';
import { isOnlySocial } from './mapping-rule.ts';

/** Everything that determines the results for a content. Equal conversions give equal results. */
export interface Conversion {
  format: OutputFormat | 'auto';
  mode: SiteScanSettings['mode'];
  quality: number | null;
  metadata: SiteScanSettings['metadata'];
  /** Undefined: the original's width. */
  width?: number;
  /**
   * A copy for pages that the scan has not seen, made when the result is resized to fit its places. Its `width` works
   * as above.
   */
  unresized?: { width?: number };
  /** Convert losslessly too, and choose the smaller result. */
  triesLossless: boolean;
  /** Beside a WebP, also make an AVIF if it is smaller. */
  alsoAvif?: true;
  /** Widths of further copies. */
  variants: number[];
  minSavings: [bytes: number, percent: number];
}

/** A PNG with fewer bytes per pixel than this is not a photograph. */
const MAX_GRAPHIC_BYTES_PER_PIXEL = 1;

/**
 * Plans the conversion of a content.
 * @param assets all assets with this content: the results must suit them all
 * @param places what is known about their places
 */
export function planConversion(
  assets: readonly [SiteAsset, ...SiteAsset[]],
  places: DisplayedSizes,
  settings: SiteScanSettings,
): Conversion {
  const [{ width, animated }] = assets;
  const { mode, quality, metadata } = settings;
  const format = formatFor(assets, settings);
  const whole = widthAllowed(assets[0], settings);
  const fitted = fittedWidth(assets, places, settings) ?? whole;
  const isNarrower = (each: number) => each < (fitted ?? width ?? 0);
  return {
    format,
    mode,
    quality: mode === 'quality' ? quality : null,
    metadata,
    ...(fitted === undefined ? {} : { width: fitted }),
    ...(fitted === whole ? {} : { unresized: whole === undefined ? {} : { width: whole } }),
    triesLossless: mode === 'quality' && format === 'webp' && mayBeGraphic(assets[0]),
    // Our AVIF encoder writes no animations, and lossless AVIF is larger than WebP.
    ...(settings.also_avif && format === 'webp' && animated === 0 && mode !== 'lossless' ? { alsoAvif: true } : {}),
    // Only widths below that of the result.
    variants: animated === 1 ? [] : [...new Set(settings.variants_widths)].filter(isNarrower).sort(byNumber),
    minSavings: [settings.min_savings_bytes, settings.min_savings_percent],
  };
}

const byNumber = (one: number, other: number) => one - other;

function formatFor(assets: readonly [SiteAsset, ...SiteAsset[]], settings: SiteScanSettings): Conversion['format'] {
  if (settings.format === 'keep') return 'auto';
  if (!settings.map_social && assets.every(isOnlySocial)) return 'auto';
  return assets[0].animated === 1 && OUTPUTS[settings.format].animation !== 'any' ? 'webp' : settings.format;
}

/** The maximum width that the settings allow; undefined when the image is not wider. */
const widthAllowed = ({ width, height }: SiteAsset, { max_width: most }: SiteScanSettings): number | undefined =>
  width && height && most !== null && most < width ? most : undefined;

/**
 * The width that is enough for every place, if all of them are known; undefined when it is not below the allowed width.
 */
function fittedWidth(
  assets: readonly [SiteAsset, ...SiteAsset[]],
  places: DisplayedSizes,
  settings: SiteScanSettings,
): number | undefined {
  const [{ width, height }] = assets;
  if (!width || !height) return undefined;
  const isKnown = places.known > 0 && places.unknown === 0;
  const shown = { width: places.width, height: places.height };
  const scale = settings.fit_displayed && isKnown ? fittingScale({ width, height }, shown) : 1;
  const wanted = Math.ceil(width * scale);
  return wanted < Math.min(width, settings.max_width ?? width) ? wanted : undefined;
}

function mayBeGraphic(asset: SiteAsset): boolean {
  const { format, bytes, width, height } = asset;
  const graphics = findFormat(format)?.graphics;
  if (graphics !== 'often') return graphics === 'always';
  const isPalette = (readFacts(asset.facts)?.paletteColors ?? null) !== null;
  return isPalette || (bytes ?? 0) < (width ?? 0) * (height ?? 0) * MAX_GRAPHIC_BYTES_PER_PIXEL;
}

export interface ConvertOptions {
  settings: SiteScanSettings;
  owner: Owner;
  signal: AbortSignal;
  /** Returns the bytes of the original, to be transferred to a worker. Called each time that they are needed. */
  read(): Promise<ArrayBuffer>;
}

/** One result file. */
export interface Converted {
  id: string;
  kind: 'optimized' | 'variant' | 'candidate';
  filename: string;
  data: ArrayBuffer;
  format: FormatId;
  width: number;
  height: number;
  quality: number | null;
  similarity: number | null;
}

/**
 * Converts a raster image.
 * @param read returns the original; its errors are passed on
 * @returns the chosen result first; undefined when the saving is too small to count
 * @throws Failure of the image or of the service
 */
export async function convert(
  engine: Engine,
  asset: SiteAsset,
  conversion: Conversion,
  { settings, owner, signal, read }: ConvertOptions,
): Promise<[Converted, ...Converted[]] | undefined> {
  const bytes = asset.bytes!;
  const stem = stemOf(asset.url);
  const fileOf = (
    id: string,
    kind: Converted['kind'],
    result: ImageResult,
    quality: number | null,
    isExact = false,
  ): Converted => ({
    id,
    kind,
    filename: resultFilename(
      kind === 'variant' || id === UNRESIZED_ID || id === UNRESIZED_AVIF_ID ? `${stem}-${result.width}.x` : `${stem}.x`,
      result,
    ),
    data: result.data,
    format: result.format,
    width: result.width,
    height: result.height,
    quality,
    similarity: isExact ? 1 : (result.similarity ?? null),
  });
  const run = (changes: CompressRequest, asked = conversion) =>
    compress(engine, { ...paramsOf(asked), ...changes }, read, { owner, signal });
  if (conversion.mode === 'lossless' && !canBeLossless(conversion.format, asset.format)) return undefined;

  const usual = await run({ score: true });
  // A lossless result is not scored: comparing it would mean decoding it again.
  const without = conversion.triesLossless ? await run({ mode: 'lossless', score: false }) : undefined;
  const isLossless = without !== undefined && without.data.byteLength < usual.data.byteLength;
  const [chosen, other] = isLossless ? [without, usual] : [usual, without];
  /** Beside a resized result: a copy of full size, made in the same way. */
  const unresized = async (like: Conversion, changes: Partial<CompressRequest>): Promise<Converted[]> => {
    if (!like.unresized) return [];
    const whole = unresizedConversion(like);
    const result = await run({ ...changes, score: false }, whole);
    const quality = changes.mode === 'lossless' ? null : qualityOf(like, result);
    const file = fileOf(UNRESIZED_ID, 'candidate', result, quality);
    return [file, ...(await avif(UNRESIZED_AVIF_ID, whole, file))];
  };
  /** Makes the AVIF beside a WebP made by `like`; empty when it is not smaller or is visibly worse. */
  const avif = async (id: string, like: Conversion, webp: Converted): Promise<Converted[]> => {
    if (!like.alsoAvif || webp.format !== 'webp') return [];
    const asAvif = { ...like, format: 'avif' as const, quality: like.quality && avifQuality(like.quality) };
    const result = await run({ score: true }, asAvif);
    const isSmaller = result.data.byteLength < webp.data.byteLength;
    if (!isSmaller || (result.similarity ?? 1) < MIN_SIMILARITY) return [];
    return [fileOf(id, 'candidate', result, qualityOf(asAvif, result))];
  };
  const isGain = ({ data }: ImageResult) => isWorthwhile(bytes - data.byteLength, bytes, settings);
  if (!isGain(chosen)) {
    for (const another of otherConversions(conversion, asset)) {
      const result = await run({ score: true }, another);
      if (!isGain(result)) continue;
      const file = fileOf('o1', 'optimized', result, qualityOf(another, result));
      return [file, ...(await avif(AVIF_ID, another, file)), ...(await unresized(another, {}))];
    }
    return undefined;
  }

  const converted = (id: string, kind: Converted['kind'], result: ImageResult, lossless: boolean): Converted =>
    fileOf(id, kind, result, lossless ? null : qualityOf(conversion, result), result === without);
  const files: [Converted, ...Converted[]] = [converted('o1', 'optimized', chosen, isLossless)];
  if (other && other.data.byteLength < bytes) files.push(converted('c2', 'candidate', other, !isLossless));
  const as = { score: false, ...(isLossless ? { mode: 'lossless' as const } : {}) };
  files.push(...(await avif(AVIF_ID, conversion, files[0])), ...(await unresized(conversion, as)));
  for (const width of conversion.variants) {
    const variant = await run({ width, ...as });
    files.push(converted(`w${width}`, 'variant', variant, isLossless));
  }
  return files;
}

/**
 * AVIF at this quality is as similar to its original as WebP at quality 80 (median of 35 photographs), in 0.89 of the
 * bytes.
 */
const AVIF_QUALITY = 60;
const WEBP_QUALITY = 80;

/** Scales the quality of the WebP. The similarity of the result then shows whether it looks the same. */
const avifQuality = (webpQuality: number): number =>
  Math.max(1, Math.round((webpQuality * AVIF_QUALITY) / WEBP_QUALITY));

/** The same conversion at the largest size that the settings allow. */
const unresizedConversion = ({ width: _, unresized, ...rest }: Conversion): Conversion => ({ ...rest, ...unresized });

/**
 * The conversions to try when the requested one saves too little: the lowest quality without visible loss, then the
 * same in the format of the image, then AVIF if WebP was requested. None for animations.
 */
function otherConversions(conversion: Conversion, { format: own, animated }: SiteAsset): Conversion[] {
  const { format, mode } = conversion;
  if (mode !== 'quality' || animated === 1) return [];
  const plain = { ...conversion, variants: [], triesLossless: false };
  const smart = { ...plain, mode: 'smart' as const, quality: null };
  return [
    smart,
    ...(format !== 'auto' && own !== format && own !== null && own in OUTPUTS
      ? [{ ...smart, format: own as OutputFormat }]
      : []),
    ...(format === 'webp' ? [{ ...plain, format: 'avif' as const, quality: AVIF_QUALITY }] : []),
  ];
}

/** Minifies an SVG. Parameters, result and errors as in {@link convert}. */
export async function minify(
  engine: Engine,
  { url, width, height, bytes: originalBytes }: SiteAsset,
  { settings, owner, signal, read }: ConvertOptions,
): Promise<[Converted] | undefined> {
  const bytes = originalBytes!;
  const { data } = await engine.run(
    'minify-svg',
    { image: { data: await read() } },
    { lane: 'background', owner, signal },
  );
  if (!isWorthwhile(bytes - data.byteLength, bytes, settings)) return undefined;
  const filename = resultFilename(`${stemOf(url)}.x`, { format: 'svg' });
  const size = { width: width ?? 0, height: height ?? 0 };
  return [{ id: 'o1', kind: 'optimized', filename, data, format: 'svg', ...size, quality: null, similarity: null }];
}

function canBeLossless(format: Conversion['format'], own: string | null): boolean {
  const output = format === 'auto' ? own : format;
  return output !== null && output in OUTPUTS && OUTPUTS[output as OutputFormat].lossless;
}

type CompressRequest = Partial<ReturnType<typeof paramsOf>> & { mode?: string; width?: number; score: boolean };

function paramsOf({ format, mode, quality, metadata, width }: Conversion) {
  return {
    format,
    mode,
    metadata,
    ...(quality === null ? {} : { quality }),
    ...(width === undefined ? {} : { width }),
  };
}

const params = compressParams.extend(sourceParams.shape);

async function compress(
  engine: Engine,
  asked: CompressRequest,
  read: ConvertOptions['read'],
  options: Pick<ConvertOptions, 'owner' | 'signal'>,
): Promise<ImageResult> {
  const run = async (score: boolean) =>
    await engine.run(
      'compress',
      { image: { data: await read() }, params: params.parse({ ...asked, score }) },
      { lane: 'background', ...options },
    );
  if (!asked.score) return await run(false);
  try {
    return await run(true);
  } catch (error) {
    // Scoring needs the whole image in memory; converting does not.
    if (!(error instanceof Failure) || error.code !== 'image_too_large') throw error;
    return await run(false);
  }
}

/** The quality that mode smart has chosen, or the requested quality; null for a lossless result. */
function qualityOf({ mode, quality }: Conversion, { explain }: ImageResult): number | null {
  if (mode === 'smart') return explain?.find(({ chosen }) => chosen)?.quality ?? null;
  return quality;
}

/** The file name in an address, without its extension. */
function stemOf(url: string): string {
  const { pathname } = new URL(url);
  const last = pathname.split('/').at(-1) ?? '';
  const name = decoded(last);
  return sourceStem(extname(name) === '' ? `${name}.x` : name);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
