/**
 * Reads camera raws: the camera's embedded JPEG, or the sensor data developed by LibRaw, which is part of ImageMagick.
 * A full-size JPEG is what the photographer saw, and takes a twentieth of the time: developing 24 megapixels takes 3 s
 * and 530 MB, 60 megapixels 7 s and 1270 MB (measured).
 */
import { Failure } from '../../../base/failure.ts';
import { type Bitmap, type BitmapContent, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader, PageRequest, Probe } from '../../format-reader.ts';
import { startsWith } from '../../metadata/bytes.ts';
import type { VipsApi } from '../../vips.ts';
import { FORMATS } from '../registry.ts';
import { type Developable, develop, pingRaw } from './develop.ts';
import { findPreviews, type Preview } from './previews.ts';
import { fitTo, previewAs } from './resample.ts';
import { readSensor, type Sensor } from './sensor.ts';
import { type UprightJpeg, uprightJpeg } from './upright-jpeg.ts';

interface DevelopPlan {
  bytes: Uint8Array;
  size: Developable;
  /** Whether some of the sensor data lie beyond the end of the file. */
  truncated: boolean;
  /** Set when the image was already developed to find its size. */
  bitmap?: Bitmap;
  /** Shown instead of sensor data that cannot be read. */
  instead: UprightJpeg | undefined;
}

type Plan = { preview: UprightJpeg } | { develop: DevelopPlan };

export const reader: FormatReader = {
  async probe(bytes, { page }, { vips }): Promise<Probe> {
    const plan = await planOf(bytes, page, vips);
    const preview = 'preview' in plan;
    const { width, height } = preview ? plan.preview : plan.develop.size;
    const found = { width, height, pages: 1, depth: 8, hasAlpha: false } as const;
    return preview
      ? { ...found, preview }
      : { ...found, storedDepth: SENSOR_DEPTH, workingBytes: width * height * DEVELOPING_BYTES_PER_PIXEL };
  },
  async decode(bytes, { page, maxPixels }, { vips }): Promise<BitmapContent> {
    const plan = await planOf(bytes, page, vips);
    if ('preview' in plan) return { embedded: { format: 'jpeg', bytes: plan.preview.bytes } };
    checkPixels(plan.develop.size, maxPixels);
    return { bitmap: await developImage(plan.develop, vips) };
  },
};

/** The plan of each file, so that probe and decoder use the same one. */
const plans = new WeakMap<Uint8Array, Plan>();

async function planOf(bytes: Uint8Array, page: PageRequest['page'], vips: VipsApi): Promise<Plan> {
  if (page > 1) throw pageOutOfRange(page, 1);
  const plan = plans.get(bytes) ?? (await makePlan(bytes, vips));
  plans.set(bytes, plan);
  return plan;
}

/** A preview of this share of the sensor's width counts as full size: cameras omit some columns at the edges. */
const FULL_SIZE = 0.9;
/** Memory of LibRaw: 528 MB for 24 megapixels, 1273 MB for 60. */
const DEVELOPING_BYTES_PER_PIXEL = 22;
/** LibRaw develops 16 bits per sample; our build of ImageMagick keeps 8. */
const SENSOR_DEPTH = 16;
/** More would not fit into the default memory limit of one request. */
const MAX_DEVELOPED_PIXELS = 34_000_000;

async function makePlan(bytes: Uint8Array, vips: VipsApi): Promise<Plan> {
  const sensor = readSensor(bytes);
  const previews = findPreviews(bytes, sensor.parts);
  const upright = (preview: Preview | undefined) => preview && uprightJpeg(preview, sensor.orientation);
  const best = upright(previews.find(({ complete }) => complete));
  if (best && sensor.size && isFullSize(best, sensor.size)) return { preview: best };

  const size = await pingRaw(bytes);
  if (best && size && isFullSize(best, size)) return { preview: best };
  if (size && (!best || (sensor.complete && size.width * size.height <= MAX_DEVELOPED_PIXELS))) {
    return developPlan({ bytes: completed(bytes, sensor), size, truncated: !sensor.complete, instead: best }, vips);
  }
  const preview = best ?? upright(previews[0]);
  if (!preview) throw corruptImage(FORMATS.raw.name);
  return { preview };
}

/** A truncated file is padded to at most this many times its size. */
const MAX_PADDING_FACTOR = 4;

/**
 * Pads a truncated file with zeros. LibRaw rejects an image even if only a small part is missing, but reads a padded
 * one.
 */
function completed(bytes: Uint8Array, { parts }: Sensor): Uint8Array {
  const end = parts.reduce((last, part) => Math.max(last, part.end), 0);
  if (end <= bytes.length || end > bytes.length * MAX_PADDING_FACTOR) return bytes;
  const filled = new Uint8Array(end);
  filled.set(bytes);
  return filled;
}

const isFullSize = (preview: Developable, image: Developable): boolean =>
  Math.max(preview.width, preview.height) >= FULL_SIZE * Math.max(image.width, image.height);

/**
 * Old cameras with pixels that are not square, or rotated, have another size once they are developed, which the header
 * does not declare. They are small, so they are developed at once.
 */
const SMALL_SENSOR = 7_000_000;
const SMALL_SUPER_CCD = 13_000_000;

async function developPlan(plan: DevelopPlan, vips: VipsApi): Promise<Plan> {
  const { bytes, size, instead, truncated } = plan;
  if (size.width * size.height > (startsWith(bytes, 'FUJIFILM') ? SMALL_SUPER_CCD : SMALL_SENSOR)) {
    return { develop: plan };
  }
  try {
    const bitmap = { ...(await develop(bytes, vips)), ...(truncated ? { truncated } : {}) };
    return { develop: { ...plan, size: { width: bitmap.width, height: bitmap.height }, bitmap } };
  } catch (error) {
    if (instead && isDamage(error)) return { preview: instead };
    throw error;
  }
}

async function developImage(plan: DevelopPlan, vips: VipsApi): Promise<Bitmap> {
  const { bytes, size, bitmap, instead, truncated } = plan;
  if (bitmap) return bitmap;
  try {
    const developed = fitTo(vips, await develop(bytes, vips), size);
    return truncated ? { ...developed, truncated } : developed;
  } catch (error) {
    if (!instead || !isDamage(error)) throw error;
    return { ...previewAs(vips, instead.bytes, size), truncated: true };
  }
}

/** Whether the error is damage to the file, not a trap, after which the instance must not be used again. */
const isDamage = (error: unknown): boolean =>
  error instanceof Failure && !(error.cause instanceof WebAssembly.RuntimeError);
