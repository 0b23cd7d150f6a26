/** What is asked of the engine for one content, and what comes of it. */
import { extname } from 'node:path/posix';
import { Failure } from '../../../base/failure.ts';
import { type FormatId, OUTPUTS, type OutputFormat } from '../../../codecs/formats.ts';
import type { Engine } from '../../../engine/engine.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { ImageResult } from '../../../engine/result.ts';
import type { Owner } from '../../../engine/ticket.ts';
import {
  AVIF_ID,
  type PlaceFacts,
  type SiteAsset,
  UNRESIZED_AVIF_ID,
  UNRESIZED_ID,
} from '../../../storage/repositories/site-outputs.ts';
import { resultFilename, sourceStem } from '../../http/filename.ts';
import { MIN_SIMILARITY } from '../findings/content.ts';
import { readFacts } from '../findings/facts.ts';
import { counts } from '../findings/savings.ts';
import { fittingScale } from '../fitting.ts';
import type { SiteScanSettings } from '../settings.ts';
import { isOnlySocial } from './mapping-rule.ts';

/** All that decides what becomes of a content: the same again leads to the same. */
export interface Conversion {
  format: OutputFormat | 'auto';
  mode: SiteScanSettings['mode'];
  quality: number | null;
  metadata: SiteScanSettings['metadata'];
  /** Undefined: as it is. */
  width?: number;
  /** A copy for pages that the scan has not seen, where the result has the size of its places; its width as that above. */
  unresized?: { width?: number };
  /** Also without loss: the smaller one is chosen. */
  triesLossless: boolean;
  /** Beside WebP the same as AVIF, where that is smaller. */
  alsoAvif?: true;
  /** Widths of further copies. */
  variants: number[];
  minSavings: [bytes: number, percent: number];
}

/** A PNG of fewer bytes for each pixel is no photograph. */
const FLAT_BYTES_PER_PIXEL = 1;

/**
 * @param assets those of one content: what is made of it has to do for all
 * @param places what is known of their places
 */
export function planConversion(
  assets: readonly [SiteAsset, ...SiteAsset[]],
  places: PlaceFacts,
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
    triesLossless: mode === 'quality' && format === 'webp' && mayBeFlat(assets[0]),
    // AVIF as we write it has one picture, and without loss it is larger.
    ...(settings.also_avif && format === 'webp' && animated === 0 && mode !== 'lossless' ? { alsoAvif: true } : {}),
    // None is as wide as the result, which is as wide as is asked for.
    variants: animated === 1 ? [] : [...new Set(settings.variants_widths)].filter(isNarrower).sort(byNumber),
    minSavings: [settings.min_savings_bytes, settings.min_savings_percent],
  };
}

const byNumber = (one: number, other: number) => one - other;

function formatFor(assets: readonly [SiteAsset, ...SiteAsset[]], settings: SiteScanSettings): Conversion['format'] {
  if (settings.format === 'keep') return 'auto';
  if (!settings.map_social && assets.every(isOnlySocial)) return 'auto';
  // AVIF as we write it has one picture.
  return settings.format === 'avif' && assets[0].animated === 1 ? 'webp' : settings.format;
}

/** The most that the settings allow; undefined where the image has no more. */
function widthAllowed({ width, height }: SiteAsset, { max_width: most }: SiteScanSettings): number | undefined {
  return width && height && most !== null && most < width ? most : undefined;
}

/** The width that is enough for every place, where all of them are known; undefined where it is not less than allowed. */
function fittedWidth(
  assets: readonly [SiteAsset, ...SiteAsset[]],
  places: PlaceFacts,
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

function mayBeFlat(asset: SiteAsset): boolean {
  const { format, bytes, width, height } = asset;
  if (format === 'gif') return true;
  if (format !== 'png' && format !== 'bmp') return false;
  const isPalette = (readFacts(asset.facts)?.paletteColors ?? null) !== null;
  return isPalette || (bytes ?? 0) < (width ?? 0) * (height ?? 0) * FLAT_BYTES_PER_PIXEL;
}

export interface ConvertOptions {
  settings: SiteScanSettings;
  owner: Owner;
  signal: AbortSignal;
  /** Gives the bytes of the original, to be handed on, each time that they are needed. */
  read(): Promise<ArrayBuffer>;
}

/** One file that was made. */
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
 * Converts a picture.
 * @param read gives the original; what it throws is thrown
 * @returns the result first; undefined when it saves too little to count
 * @throws Failure of the picture or of the service
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
  const run = (changes: Asked, asked = conversion) =>
    compress(engine, { ...paramsOf(asked), ...changes }, read, { owner, signal });
  if (conversion.mode === 'lossless' && !canBeLossless(conversion.format, asset.format)) return undefined;

  const usual = await run({ score: true });
  // What lost nothing need not be compared, for which it would have to be decoded again.
  const without = conversion.triesLossless ? await run({ mode: 'lossless', score: false }) : undefined;
  const isLossless = without !== undefined && without.data.byteLength < usual.data.byteLength;
  const [chosen, other] = isLossless ? [without, usual] : [usual, without];
  /** Beside a result that is smaller than the original: one as large, made in the same way. */
  const unresized = async (like: Conversion, changes: Partial<Asked>): Promise<Converted[]> => {
    if (!like.unresized) return [];
    const whole = wholeOf(like);
    const result = await run({ ...changes, score: false }, whole);
    const quality = changes.mode === 'lossless' ? null : qualityOf(like, result);
    const file = fileOf(UNRESIZED_ID, 'candidate', result, quality);
    return [file, ...(await avif(UNRESIZED_AVIF_ID, whole, file))];
  };
  /** The AVIF beside a WebP that was made by `like`; none where it is not smaller, or visibly worse. */
  const avif = async (id: string, like: Conversion, webp: Converted): Promise<Converted[]> => {
    if (!like.alsoAvif || webp.format !== 'webp') return [];
    const asAvif = { ...like, format: 'avif' as const, quality: like.quality && avifQuality(like.quality) };
    const result = await run({ score: true }, asAvif);
    const isSmaller = result.data.byteLength < webp.data.byteLength;
    if (!isSmaller || (result.similarity ?? 1) < MIN_SIMILARITY) return [];
    return [fileOf(id, 'candidate', result, qualityOf(asAvif, result))];
  };
  const isGain = ({ data }: ImageResult) => counts(bytes - data.byteLength, bytes, settings);
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

/** AVIF of this quality is as similar to its original as WebP of quality 80, in the median of 35 photographs, in 0.89 of the bytes. */
const AVIF_QUALITY = 60;
const WEBP_QUALITY = 80;

/** In proportion to the quality of the WebP. The similarity of the result then says whether it looks the same. */
function avifQuality(webpQuality: number): number {
  return Math.max(1, Math.round((webpQuality * AVIF_QUALITY) / WEBP_QUALITY));
}

/** The same, as large as the settings allow. */
function wholeOf({ width: _, unresized, ...rest }: Conversion): Conversion {
  return { ...rest, ...unresized };
}

/**
 * What is tried where the conversion that was asked for saves too little: the lowest quality that does not show, then the same in the
 * format of the picture, then AVIF where WebP was asked for. An animation has none of them.
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

/**
 * Writes a drawing in fewer bytes. Parameters, result and errors as of {@link convert}.
 */
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
  if (!counts(bytes - data.byteLength, bytes, settings)) return undefined;
  const filename = resultFilename(`${stemOf(url)}.x`, { format: 'svg' });
  const size = { width: width ?? 0, height: height ?? 0 };
  return [{ id: 'o1', kind: 'optimized', filename, data, format: 'svg', ...size, quality: null, similarity: null }];
}

function canBeLossless(format: Conversion['format'], own: string | null): boolean {
  const output = format === 'auto' ? own : format;
  return output !== null && output in OUTPUTS && OUTPUTS[output as OutputFormat].lossless;
}

type Asked = Partial<ReturnType<typeof paramsOf>> & { mode?: string; width?: number; score: boolean };

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
  asked: Asked,
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
    // To be compared it has to be in memory as a whole; to be converted it need not.
    if (!(error instanceof Failure) || error.code !== 'image_too_large') throw error;
    return await run(false);
  }
}

/** What mode smart has chosen, or what was asked for; null where nothing was lost. */
function qualityOf({ mode, quality }: Conversion, { explain }: ImageResult): number | null {
  if (mode === 'smart') return explain?.find(({ chosen }) => chosen)?.quality ?? null;
  return quality;
}

/** The name of the file in an address, without its extension. */
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
