/** `id-photo` on the worker: open, take the background away where that is asked for, crop to the photo's shape, scale to its exact size, paint, lay out, encode. */
import { formatOf, openSource } from '../../../codecs/read.ts';
import { largestShrink } from '../../../codecs/shrink.ts';
import { decode, type Source, WHOLE_PICTURE } from '../../../codecs/source.ts';
import type { WorkerContext } from '../../context.ts';
import type { ImageResult } from '../../result.ts';
import { cropArea } from '../../steps/crop.ts';
import type { Size } from '../../steps/step.ts';
import type { TaskInput } from '../../task.ts';
import { tolerateDamage } from '../damage.ts';
import { isStreamed } from '../decoding.ts';
import type { Box } from '../notations.ts';
import { checkResultSize } from '../result-size.ts';
import { checkSourceSize } from '../source-size.ts';
import { magnification, photoArea, scaledArea } from './area.ts';
import { type Photo, resolvePhoto } from './photo.ts';
import { writePhoto } from './write.ts';

/** A decoder that shrinks leaves twice the pixels of the photo, because it does so less well than we scale. */
const SPARE = 2;

type IdPhotoInput = TaskInput<'id-photo'>;

/**
 * @throws Failure as `resolvePhoto`, `invalid_parameter` for a crop outside the picture, `model_unavailable` and
 * `no_subject` with remove_background, and whatever reading says
 */
export async function runIdPhoto(context: WorkerContext, input: IdPhotoInput): Promise<ImageResult> {
  const photo = resolvePhoto(input.params);
  return tolerateDamage(context.vips, input.image, (tolerant) => makePhoto(context, input, photo, tolerant));
}

export async function makePhoto(
  context: WorkerContext,
  { image, params }: IdPhotoInput,
  photo: Photo,
  tolerant: boolean,
): Promise<ImageResult> {
  const started = performance.now();
  const bytes = new Uint8Array(image.data);
  const format = await formatOf(bytes, image.filename);
  const stored = await openSource(context, { bytes, format, page: params.page, filename: image.filename });
  const wanted = params.crop === undefined ? undefined : cropArea(stored.header, params.crop);
  const { source, crop } = drawnFor(context, stored, photo.size, wanted);
  const { header } = source;
  checkSourceSize(context, source, 1);
  const area = photoArea(header, photo.size, crop);
  checkResultSize(context, header, photo.sheet?.size ?? photo.size);
  const enlarged = magnification(area, photo.size);
  // A crop is given in pixels of the whole picture.
  const shrink = source.shrinks && crop === undefined ? largestShrink(1 / (SPARE * enlarged)) : 1;
  const sequential = isStreamed(context, source, { frames: 1, shrink, inOrder: !params.remove_background });

  const opened = await decode(context.vips, source, { ...WHOLE_PICTURE, shrink, sequential, tolerant });
  const decodedAt = performance.now();

  return await writePhoto(context, {
    photo,
    crop,
    removeBackground: params.remove_background,
    enlarged,
    stored,
    bytes: bytes.length,
    opened,
    picture: opened,
    warnings: [],
    started,
    decodedAt,
  });
}

/** All of a drawing is drawn for the part that is wanted: a hundred million pixels took 20 seconds. */
const CROPPED_DRAWING_PIXELS = 2 ** 24;

/**
 * A source that is drawn comes as large as it is needed for its part in the photo, or as large as it may be.
 * @param crop in pixels of the picture as it is
 */
function drawnFor({ limits }: WorkerContext, source: Source, photo: Size, crop: Box | undefined): Drawn {
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
  // A pixel more than is needed, because the edges of the crop come to lie on whole ones.
  const spare = 1 + 1 / Math.min(photo.width, photo.height);
  const drawn = source.scaled(Math.min(scale * spare, largest));
  return { source: drawn, crop: scaledArea(crop, header, drawn.header) };
}

interface Drawn {
  source: Source;
  /** In its pixels. */
  crop: Box | undefined;
}
