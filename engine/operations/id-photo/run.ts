/**
 * Runs `id-photo` in the worker: opens the source, removes the background if requested, crops to the photo's aspect
 * ratio, scales to its exact size, paints, lays out and encodes.
 */
import type { Box, Size } from '../../../base/geometry.ts';
import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import { largestShrink } from '../../../codecs/shrink.ts';
import { decode, type Source, WHOLE_IMAGE } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import { cropArea } from '../../steps/crop.ts';
import { isStreamed } from '../decoding.ts';
import { checkResultSize } from '../result-size.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { checkSourceSize } from '../source-size.ts';
import { alignToFace } from './align.ts';
import { magnification, photoArea, scaledArea } from './area.ts';
import type { IdPhotoInput, IdPhotoResult } from './definition.ts';
import { modelsOf } from './params.ts';
import { type Photo, resolvePhoto } from './photo.ts';
import { type PhotoJob, writePhoto } from './write.ts';

/** A decoder may shrink to twice the photo's size, because the final resize has better quality. */
const DECODE_SCALE = 2;

/**
 * @throws Failure as for `resolvePhoto`, `invalid_parameter` for a crop outside the image, `model_unavailable`
 * and `no_subject` with remove_background or align=face, and decode errors
 */
export async function run(context: WorkerContext, input: IdPhotoInput): Promise<IdPhotoResult> {
  const photo = resolvePhoto(input.params);
  // Before decoding, because without a model the task fails.
  for (const purpose of modelsOf(input.params)) await context.models.open(purpose);
  return retryTruncated(context.vips, input.image, (tolerant) => makePhoto(context, input, photo, tolerant));
}

export async function makePhoto(
  context: WorkerContext,
  { image, params }: IdPhotoInput,
  photo: Photo,
  tolerant: boolean,
): Promise<IdPhotoResult> {
  const started = performance.now();
  const bytes = new Uint8Array(image.data);
  const format = await formatOf(bytes, image.filename);
  const stored = await openSource(context, { bytes, format, page: params.page, filename: image.filename });
  const wanted = params.crop === undefined ? undefined : cropArea(stored.header, params.crop);
  const { source, crop } = renderForPhoto(context, stored, photo.size, wanted);
  const { header } = source;
  checkSourceSize(context, source, 1);
  const area = photoArea(header, photo.size, crop);
  checkResultSize(context, header, photo.sheet?.size ?? photo.size);
  const isAligned = params.align === 'face';
  const enlarged = magnification(area, photo.size);
  // A crop is given in pixels of the whole image, and a face is only a part of it.
  const shrink = source.shrinks && crop === undefined && !isAligned ? largestShrink(1 / (DECODE_SCALE * enlarged)) : 1;
  const sequential = isStreamed(context, source, { frames: 1, shrink, inOrder: modelsOf(params).length === 0 });

  const opened = await decode(context.vips, source, { ...WHOLE_IMAGE, shrink, sequential, tolerant });
  const decodedAt = performance.now();
  const placed = await placePhoto(context, opened, { photo, crop, isAligned, size: header });

  return await writePhoto(context, {
    photo,
    ...placed,
    removeBackground: params.remove_background,
    page: params.page,
    stored,
    bytes: bytes.length,
    opened,
    started,
    decodedAt,
  });
}

/** What of the image becomes the photo. */
type Placed = Pick<PhotoJob, 'image' | 'crop' | 'enlarged' | 'alignment' | 'warnings'>;

/**
 * @param image with all of its pixels if the photo is placed on a face
 * @throws Failure `no_subject` and `model_unavailable` if it is
 */
export async function placePhoto(
  context: WorkerContext,
  image: DecodedImage,
  { photo, crop, isAligned, size }: { photo: Photo; crop: Box | undefined; isAligned: boolean; size: Size },
): Promise<Placed> {
  const aligned = isAligned ? await alignToFace(context, image, photo, await context.models.open('faces')) : undefined;
  const placed = aligned ?? { image, crop, alignment: undefined, warnings: [] };
  return { ...placed, enlarged: magnification(photoArea(size, photo.size, placed.crop), photo.size) };
}

/** A vector source is rendered as a whole, even for a crop: a hundred million pixels took 20 s. */
const CROPPED_DRAWING_PIXELS = 2 ** 24;

/**
 * Renders a vector source at the size that the photo needs, or at the largest size allowed.
 * @param crop in pixels of the source at its own size
 */
function renderForPhoto({ limits }: WorkerContext, source: Source, photo: Size, crop: Box | undefined): RenderedSource {
  const { header } = source;
  const scale = magnification(photoArea(header, photo, crop), photo);
  if (!source.scaled || scale === 1) return { source, crop };
  if (crop === undefined) return { source: source.scaled(scale), crop };
  const largest = Math.max(
    1,
    Math.min(
      Math.sqrt(CROPPED_DRAWING_PIXELS / (header.width * header.height)),
      limits.side / Math.max(header.width, header.height),
    ),
  );
  // One pixel more than needed, because the edges of the crop are rounded to whole pixels.
  const spare = 1 + 1 / Math.min(photo.width, photo.height);
  const drawn = source.scaled(Math.min(scale * spare, largest));
  return { source: drawn, crop: scaledArea(crop, header, drawn.header) };
}

interface RenderedSource {
  source: Source;
  /** In pixels of `source`. */
  crop: Box | undefined;
}
