/** Bytes that the conversion of an image saves: measured after the conversion, predicted from its header before. */
import { type FormatId, OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { predictSize } from '../../../engine/pipeline/predict.ts';
import type { SiteScanSettings } from '../settings.ts';
import type { AssetView } from './finding.ts';

/** A saving counts when it reaches both thresholds of the settings. */
export function isWorthwhile(
  savedBytes: number,
  bytes: number,
  {
    min_savings_bytes: minBytes,
    min_savings_percent: minPercent,
  }: Pick<SiteScanSettings, 'min_savings_bytes' | 'min_savings_percent'>,
): boolean {
  return savedBytes > 0 && savedBytes >= minBytes && savedBytes * 100 >= bytes * minPercent;
}

/**
 * The format to convert to: that of the settings, or WebP when the settings keep the format. Our AVIF encoder writes no
 * animations, so those become WebP.
 */
export const newFormat = ({ asset, settings }: AssetView): 'webp' | 'avif' =>
  settings.format === 'avif' && asset.animated === 0 ? 'avif' : 'webp';

/** The output format that the settings lead to. */
function targetFormat(view: AssetView): OutputFormat {
  const { format, hasAlpha } = view.asset;
  if (view.settings.format !== 'keep') return newFormat(view);
  if (format !== null && format in OUTPUTS) return format as OutputFormat;
  return hasAlpha === 1 ? 'png' : 'jpeg';
}

interface Prediction {
  /** Scale of width and height. */
  scale?: number;
  output?: OutputFormat;
}

/** Predicts the bytes of the image after its conversion; undefined when too little is known. */
export function predictedBytes(
  view: AssetView,
  { scale = 1, output = targetFormat(view) }: Prediction = {},
): number | undefined {
  const { asset, facts, settings } = view;
  const { format, bytes, width, height, frames } = asset;
  if (format === null || bytes === null || !width || !height) return undefined;
  const pixels = width * height * (frames ?? 1);
  return predictSize({
    source: {
      format: format as FormatId,
      bytes,
      pixels,
      animated: asset.animated === 1,
      lossless: facts?.lossless ?? undefined,
      quality: facts?.quality ?? undefined,
    },
    pixels: Math.max(1, Math.round(pixels * scale * scale)),
    scale: scale * scale,
    format: output,
    coding: settings.mode === 'quality' ? { quality: settings.quality } : settings.mode,
  }).bytes;
}

/**
 * Bytes that the conversion has saved or would save. Undefined when a conversion brought no gain or when nothing can be
 * predicted.
 */
export function conversionSaving(view: AssetView): number | undefined {
  const { asset } = view;
  const { bytes, output } = asset;
  if (bytes === null || asset.skipReason === 'no_gain') return undefined;
  if (output) return Math.max(0, bytes - output.bytes);
  const predicted = predictedBytes(view);
  return predicted === undefined ? undefined : Math.max(0, bytes - predicted);
}
