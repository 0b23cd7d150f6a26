/** Finds the faces of an image: decides at which scales the model sees it. */
import type { Box, Size } from '../../../base/geometry.ts';
import { type Kernels, startKernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import { detectFaces, type Face, type ModelInput, moveFace, suppressOverlaps } from '../../../models/faces.ts';
import type { LoadedModel } from '../../../models/runtime.ts';
import type { WorkerContext } from '../../context.ts';
import { prepareModelInput, reduceTo } from './model-input.ts';

/**
 * Pixels of the image at each scale: about 640 x 480, then twice and four times the width and height. By area, because
 * the sides of a panorama say little. Chosen on the test photos: the first scale finds faces from 10 pixels up to those
 * that fill the image; the second and third each cost four times the one before.
 */
const FIRST_SCALE_PIXELS = 310_000;
export const SECOND_SCALE_PIXELS = 4 * FIRST_SCALE_PIXELS;
const THIRD_SCALE_PIXELS = 4 * SECOND_SCALE_PIXELS;
/** At a smaller size, noise that hides a face disappears. */
const REDUCED_SCALE_PIXELS = FIRST_SCALE_PIXELS / 4;

/** Enlarging finds more of the smallest faces, but a larger factor finds no more. */
const MAX_ENLARGEMENT = 2;
/** A smaller enlargement shows the model no more than the original size. */
const MIN_ENLARGEMENT = 1.25;

/** If a face has a side below this, in pixels of the scale, other faces may be too small for the model. */
const SMALL_FACE_PIXELS = 24;

/** Longest side of the part that the model sees at a time; bounds its memory. */
const MAX_TILE_SIDE = 1536;
/**
 * How far a part extends beyond its edges. A face of up to twice this is fully visible in the part that contains its
 * centre; larger faces are also found at smaller scales.
 */
const MARGIN = 64;

/** An image as displayed, available in several resolutions. */
export interface Scalable extends Size {
  /** Upright, 8 bits. @param pixels minimum number; the image may have more, and has fewer only if no more exist */
  atLeast(pixels: number): Promise<Image>;
}

/** The model and kernels to find faces with. */
export interface FaceFinder {
  /** Opened for the purpose `faces`. */
  model: LoadedModel;
  kernels: Kernels;
}

/**
 * Finds the faces of an image. All operations find the same: `faces` lists what `blur-faces` covers.
 * @returns the faces, their boxes in whole pixels and inside the image, largest first
 */
export async function findFaces({ model, kernels }: FaceFinder, image: Scalable): Promise<Face[]> {
  const scales = new Scales(kernels, image);
  let found = await facesAt(model, scales, FIRST_SCALE_PIXELS);
  const more = async (pixels: number) => {
    found = suppressOverlaps([...found, ...(await facesAt(model, scales, pixels))]);
  };
  // A small image may have the same size at the second scale as at the first.
  const isCloser = scaleOf(image, SECOND_SCALE_PIXELS) > scaleOf(image, FIRST_SCALE_PIXELS);
  // Even if the faces are large: beside them there may be small ones that the first scale misses.
  if (isCloser) await more(SECOND_SCALE_PIXELS);
  if (found.length === 0) await more(REDUCED_SCALE_PIXELS);
  else if (hasSmall(found, image, SECOND_SCALE_PIXELS)) await more(THIRD_SCALE_PIXELS);
  return found
    .map((face) => wholePixels(face, image))
    .toSorted((one, other) => other.width * other.height - one.width * one.height);
}

/** Finds the faces of a frame that is decoded, upright, with 8 bits. @param model opened for the purpose `faces` */
export function facesOf(
  { modules }: Pick<WorkerContext, 'modules'>,
  frame: Image,
  model: LoadedModel,
): Promise<Face[]> {
  const { width, height } = frame;
  return findFaces({ model, kernels: startKernels(modules) }, { width, height, atLeast: async () => frame });
}

/** Scale factor of a side, from the image to the scale. */
function scaleOf({ width, height }: Size, pixels: number): number {
  const scale = Math.min(MAX_ENLARGEMENT, Math.sqrt(pixels / (width * height)));
  return scale > 1 && scale < MIN_ENLARGEMENT ? 1 : scale;
}

/** Whether a face is so small at a scale that a larger scale may find more, and a larger scale exists. */
function hasSmall(faces: readonly Face[], image: Size, pixels: number): boolean {
  const scale = scaleOf(image, pixels);
  return (
    scale < MAX_ENLARGEMENT && faces.some(({ width, height }) => Math.min(width, height) * scale < SMALL_FACE_PIXELS)
  );
}

/** Above this, reading the samples of an image takes longer than detecting faces at the second scale. */
const LARGE_IMAGE_PIXELS = THIRD_SCALE_PIXELS;

/**
 * An image at the scales. For a large image, scales up to the second are made from the second, so that its samples are
 * read only once.
 */
class Scales {
  readonly image: Scalable;
  readonly #kernels: Kernels;
  #second: Image | undefined;

  constructor(kernels: Kernels, image: Scalable) {
    this.#kernels = kernels;
    this.image = image;
  }

  async at(pixels: number): Promise<ModelInput> {
    // At least as much as the second scale needs, because it is likely to follow.
    const image = await this.image.atLeast(Math.max(pixels, SECOND_SCALE_PIXELS));
    const isLarge = pixels <= SECOND_SCALE_PIXELS && image.width * image.height > LARGE_IMAGE_PIXELS;
    return prepareModelInput(this.#kernels, isLarge ? this.#reduced(image) : image, this.#sizeAt(pixels));
  }

  #reduced(image: Image): Image {
    this.#second ??= reduceTo(image, this.#sizeAt(SECOND_SCALE_PIXELS)).copyMemory();
    return this.#second;
  }

  #sizeAt(pixels: number): Size {
    const { width, height } = this.image;
    const scale = scaleOf(this.image, pixels);
    return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  }
}

/** The faces found at one scale, in pixels of the image. */
async function facesAt(model: LoadedModel, scales: Scales, pixels: number): Promise<Face[]> {
  const { image } = scales;
  const shown = await scales.at(pixels);
  const faces: Face[] = [];
  for (const core of tiles(shown)) {
    const seen = await detectFaces(model, shown, grown(core, shown));
    faces.push(...seen.filter((face) => isCentredIn(face, core)));
  }
  const [across, down] = [image.width / shown.width, image.height / shown.height];
  return suppressOverlaps(faces).map((face) => moveFace(face, { x: 0, y: 0 }, { x: across, y: down }));
}

/** Splits the image into parts of about the same size. */
function tiles({ width, height }: Size): Box[] {
  const [lefts, tops] = [edges(width), edges(height)];
  return tops.slice(1).flatMap((bottom, row) =>
    lefts.slice(1).map((right, column) => {
      const [x, y] = [lefts[column] as number, tops[row] as number];
      return { x, y, width: right - x, height: bottom - y };
    }),
  );
}

function edges(side: number): number[] {
  const parts = Math.ceil(side / MAX_TILE_SIDE);
  return Array.from({ length: parts + 1 }, (_, index) => Math.round((index * side) / parts));
}

/** A part with the margin around it, inside the image. */
function grown({ x, y, width, height }: Box, image: Size): Box {
  const [left, top] = [Math.max(0, x - MARGIN), Math.max(0, y - MARGIN)];
  const right = Math.min(image.width, x + width + MARGIN);
  const bottom = Math.min(image.height, y + height + MARGIN);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function isCentredIn(face: Box, { x, y, width, height }: Box): boolean {
  const [centreX, centreY] = [face.x + face.width / 2, face.y + face.height / 2];
  return centreX >= x && centreX < x + width && centreY >= y && centreY < y + height;
}

function wholePixels({ x, y, width, height, ...face }: Face, image: Size): Face {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  const right = Math.min(image.width, Math.ceil(x + width));
  const bottom = Math.min(image.height, Math.ceil(y + height));
  return { ...face, x: left, y: top, width: right - left, height: bottom - top };
}
