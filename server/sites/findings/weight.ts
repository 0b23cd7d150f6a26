/** Findings about images that are heavier or larger than needed. */
import { FORMATS, type FormatId, findFormat } from '../../../codecs/formats/registry.ts';
import { fittingScale } from '../displayed-size.ts';
import { type AssetView, bytesText, isFetched, isRasterImage, type Rule } from './finding.ts';
import { conversionSaving, isWorthwhile, newFormat, predictedBytes } from './savings.ts';

const LARGE_ANIMATION_BYTES = 102_400;
const HEAVY_BYTES = 500_000;
/** Typical bytes per pixel of a JPEG of quality 85. */
const USUAL_BYTES_PER_PIXEL = 1 / 6;
/** Lighthouse's threshold: smaller savings are not worth a request. */
const MIN_SAVING_BYTES = 4096;
const MIN_SAVING_WITH_CANDIDATES_BYTES = 12_288;
const MAX_SIDE_PIXELS = 2560;
const LARGE_DATA_URI_BYTES = 8192;

const isClassic = (format: string | null) => findFormat(format)?.web?.age === 'classic';

const wrongFormat: Rule = (view) => {
  const { format, bytes, output, skipReason } = view.asset;
  if (!isRasterImage(view) || !isClassic(format) || skipReason === 'no_gain') return undefined;
  // The image may have been converted within its own format.
  const measured = output !== null && output.format !== format;
  const wanted = measured ? output.format : newFormat(view);
  const after = measured ? output.bytes : predictedBytes(view, { output: newFormat(view) });
  if (after === undefined || !isWorthwhile(bytes! - after, bytes!, view.settings)) return undefined;
  const { name } = FORMATS[wanted as FormatId];
  return {
    code: 'wrong_format',
    message: `These ${bytesText(bytes!)} take ${measured ? '' : 'about '}${bytesText(after)} as ${name}.`,
    savingsBytes: bytes! - after,
    data: { format: wanted, measured },
  };
};

const animatedGif: Rule = (view) => {
  const { format, animated, bytes } = view.asset;
  if (
    !isRasterImage(view) ||
    !isClassic(format) ||
    animated !== 1 ||
    !findFormat(format)?.animation ||
    bytes! <= LARGE_ANIMATION_BYTES
  )
    return undefined;
  return {
    code: 'animated_gif',
    message: `An animated ${FORMATS[format as FormatId].name} of ${bytesText(bytes!)}: an animated WebP or a video is much smaller.`,
    savingsBytes: conversionSaving(view),
    data: { frames: view.asset.frames },
  };
};

/** The scale at which the image is large enough for every place; 1 when the size in one place is unknown. */
function neededScale({ asset, places }: AssetView): number {
  if (!places.displayed || places.isShownAtUnknownSize) return 1;
  return fittingScale(asset, places.displayed);
}

/** Bytes saved by removing pixels that nobody sees. */
function sizeSaving(view: AssetView, scale: number): number | undefined {
  const { bytes, output, width, skipReason } = view.asset;
  if (skipReason === 'no_gain') return undefined;
  if (output && width !== null && output.width < width) return Math.max(0, bytes! - output.bytes);
  const [whole, fitting] = [predictedBytes(view), predictedBytes(view, { scale })];
  if (whole === undefined || fitting === undefined) return undefined;
  return Math.max(0, Math.min(bytes!, whole) - fitting);
}

const oversized: Rule = (view) => {
  const { asset, places } = view;
  const scale = isRasterImage(view) ? neededScale(view) : 1;
  if (scale === 1) return undefined;
  const saved = sizeSaving(view, scale);
  if (saved === undefined || saved < (places.hasChoice ? MIN_SAVING_WITH_CANDIDATES_BYTES : MIN_SAVING_BYTES))
    return undefined;
  const { width, height, source } = places.displayed!;
  const shown = width && height ? `${width} x ${height}` : `${width ?? height} pixels ${width ? 'wide' : 'high'}`;
  return {
    code: 'oversized',
    message: `The image has ${asset.width} x ${asset.height} pixels but is shown at ${shown} at most.`,
    savingsBytes: saved,
    references: places.listed,
    data: { displayed_width: width, displayed_height: height, displayed_source: source },
  };
};

const veryLarge: Rule = (view) => {
  const { width, height } = view.asset;
  if (!isRasterImage(view) || view.places.displayed) return undefined;
  if (Math.max(width ?? 0, height ?? 0) <= MAX_SIDE_PIXELS) return undefined;
  return {
    code: 'very_large',
    message: `The image has ${width} x ${height} pixels: more than most screens show.`,
    data: { width, height },
  };
};

const heavy: Rule = (view) => {
  const { bytes, width, height, frames, output, skipReason } = view.asset;
  if (!isFetched(view)) return undefined;
  // Vectors and icons have no prediction, and their pixels are irrelevant.
  const isOfPixels = isRasterImage(view);
  // A conversion that brought no gain saves nothing, whatever its header predicts.
  const isUnknown = output !== null || !isOfPixels || skipReason === 'no_gain';
  const predicted = isUnknown ? undefined : predictedBytes(view, { scale: neededScale(view) });
  const after = output?.bytes ?? predicted;
  const saved = after === undefined ? undefined : Math.max(0, bytes! - after);
  const pixels = isOfPixels ? (width ?? 0) * (height ?? 0) * (frames ?? 1) : 0;
  const isDense =
    pixels > 0 && bytes! > pixels * USUAL_BYTES_PER_PIXEL && saved !== undefined && saved >= MIN_SAVING_BYTES;
  if (bytes! <= HEAVY_BYTES && !isDense) return undefined;
  return {
    code: 'heavy',
    message:
      bytes! > HEAVY_BYTES
        ? `${bytesText(bytes!)} are much for one image of a page.`
        : `${bytesText(bytes!)} are much for ${width} x ${height} pixels.`,
    savingsBytes: saved,
  };
};

const largeDataUri: Rule = ({ asset, places }) =>
  asset.kind === 'data_uri' && (asset.bytes ?? 0) > LARGE_DATA_URI_BYTES
    ? {
        code: 'large_data_uri',
        message: `${bytesText(asset.bytes!)} of an image are inside the document: they are loaded again with each page.`,
        references: places.listed,
      }
    : undefined;

export const weightRules: readonly Rule[] = [wrongFormat, animatedGif, oversized, veryLarge, heavy, largeDataUri];
