/** Makes the image behind the subject: without transparency, at the size of the canvas. */
import type { Size } from '../../../base/geometry.ts';
import { hasAlpha, samplesOf, toRgb } from '../../../codecs/colour.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { flatten } from '../../steps/canvas.ts';
import { cropAround } from '../../steps/crop.ts';
import type { SourceFile } from '../../task.ts';
import { openAuxiliaryImage } from '../auxiliary-images.ts';
import { blur } from './blur.ts';
import type { CutOut } from './cutout.ts';
import { imageOf } from './float-image.ts';
import type { Background } from './params.ts';
import { scaled } from './scale.ts';

export interface BackdropSource {
  /** The photo, RGB. */
  photo: Image;
  cutOut: CutOut;
  /** The form part `background_image`. */
  file: SourceFile | undefined;
}

/** The image behind the subject, RGB; undefined if it is transparent. */
export async function backdropOf(
  context: WorkerContext,
  background: Background,
  canvas: Size,
  { photo, cutOut, file }: BackdropSource,
): Promise<Image | undefined> {
  const { vips } = context;
  switch (background.kind) {
    case 'transparent':
      return undefined;
    case 'colour':
      return gradient(vips, canvas, background.colour, background.colour);
    case 'gradient':
      return gradient(vips, canvas, background.from, background.to);
    case 'blur':
      return covering(vips, blurred(vips, photo, cutOut, background.strength), canvas);
    case 'image':
      return covering(vips, await openBackdrop(context, file), canvas);
  }
}

const WHITE = '#ffffff';
const IMAGE_PART = 'background_image';

async function openBackdrop(context: WorkerContext, file: SourceFile | undefined): Promise<Image> {
  if (!file) throw new Error(`${IMAGE_PART} has not been sent`);
  const image = toRgb(await openAuxiliaryImage(context, file, IMAGE_PART));
  return hasAlpha(image) ? flatten(image, { background: WHITE }) : image;
}

/** A gradient from top to bottom. */
function gradient(vips: VipsApi, { width, height }: Size, from: string, to: string): Image {
  const rows = new Uint8Array(height * 3);
  const ends = vips.Image.newFromMemory(new Uint8Array(3), 1, 1, 3, vips.BandFormat.uchar);
  const top = samplesOf(from, ends);
  const bottom = samplesOf(to, ends);
  for (let y = 0; y < height; y += 1) {
    const share = height === 1 ? 0 : y / (height - 1);
    for (const channel of [0, 1, 2] as const) {
      rows[3 * y + channel] = Math.round(top[channel] + share * (bottom[channel] - top[channel]));
    }
  }
  const column = vips.Image.newFromMemory(rows, 1, height, 3, vips.BandFormat.uchar).copy({ interpretation: 'srgb' });
  return column.embed(0, 0, width, height, { extend: 'copy' });
}

/** Scales the image to the smallest size that covers the canvas, and crops its centre. */
function covering(vips: VipsApi, image: Image, canvas: Size): Image {
  const factor = Math.max(canvas.width / image.width, canvas.height / image.height);
  const size = {
    width: Math.max(canvas.width, Math.round(image.width * factor)),
    height: Math.max(canvas.height, Math.round(image.height * factor)),
  };
  return cropAround(scaled(vips, image, size), canvas);
}

/** Standard deviation of the blur per step of its strength, as a share of the longer side. */
const BLUR = 0.0006;
/** Standard deviation, in pixels, at which a reduced image can be blurred instead without a visible difference. */
const REDUCIBLE_SIGMA = 4;

/**
 * The blurred background, at the size of the photo or smaller. The subject is removed first, so that it leaves no glow.
 */
function blurred(vips: VipsApi, photo: Image, { image, background }: CutOut, strength: number): Image {
  const sigma = strength * BLUR * Math.max(photo.width, photo.height);
  const factor = Math.min(1, REDUCIBLE_SIGMA / sigma);
  const size = {
    width: Math.max(1, Math.round(photo.width * factor)),
    height: Math.max(1, Math.round(photo.height * factor)),
  };
  const filled = scaled(vips, imageOf(vips, background), size);
  const behind = scaled(vips, image.extractBand(3), size).maplut(backgroundWeights(vips));
  const free = behind.ifthenelse(filled, scaled(vips, photo, size), { blend: true });
  return blurredEvenly(vips, free, sigma * factor);
}

/** Relative amplitude at which the Gaussian kernel is cut off. With libvips' default of 0.2, stripes are visible. */
const MIN_AMPLITUDE = 0.01;

/** Blurs with mirrored edges. Repeated edge pixels, as in libvips, would become streaks. */
function blurredEvenly(vips: VipsApi, image: Image, sigma: number): Image {
  const { width, height } = image;
  const margin = Math.ceil(sigma * Math.sqrt(-2 * Math.log(MIN_AMPLITUDE))) + 1;
  const mirrored = image.embed(margin, margin, width + 2 * margin, height + 2 * margin, { extend: 'mirror' });
  return blur(vips, mirrored, sigma, MIN_AMPLITUDE).crop(margin, margin, width, height);
}

/** Pixels with at least this subject opacity do not count as background. */
const MIN_SUBJECT_OPACITY = 26;

function backgroundWeights(vips: VipsApi): Image {
  const values = Uint8Array.from({ length: 256 }, (_, value) =>
    Math.min(255, Math.round((value / MIN_SUBJECT_OPACITY) * 255)),
  );
  return vips.Image.newFromMemory(values, 256, 1, 1, vips.BandFormat.uchar);
}
