/** Where the faces of a picture are: which scales of it the model is shown. */
import type { Kernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import { type Area, detectFaces, type Face, type Shown, suppressed } from '../../../models/faces.ts';
import type { LoadedModel } from '../../../models/runtime.ts';
import type { Size } from '../../steps/step.ts';
import { reducedTo, shownAt } from './shown.ts';

/**
 * Pixels of the picture at each scale, which is about 640 x 480 and twice and four times that. By area, because the sides
 * of a panorama say nothing. Chosen on the photographs of the tests: the first finds faces from 10 pixels up to those that
 * fill the picture, and the second and third cost four times the one before.
 */
const FIRST = 310_000;
export const SECOND = 4 * FIRST;
const THIRD = 4 * SECOND;
/** Grain that hides a face is gone when the picture is smaller. */
const LAST = FIRST / 4;

/** Enlarging finds more of the smallest faces, but there is nothing to find beyond that. */
const MOST_ENLARGED = 2;
/** Less than that shows the model no more than the picture as it is. */
const LEAST_ENLARGED = 1.25;

/** Where a face has a side below this, others may be below what the model finds. Pixels of the scale. */
const SMALL = 24;

/** Longest side of the part of a picture that the model is shown at a time; bounds its memory. */
const TILE = 1536;
/** Seen beyond a part's edges; twice that is the largest face that belongs to the larger scales alone. */
const MARGIN = 64;

/** A picture as displayed, of which more or fewer pixels can be had. */
export interface Scalable extends Size {
  /** Upright, 8 bits. @param pixels enough of them; it may have more, and has fewer when there are no more */
  atLeast(pixels: number): Promise<Image>;
}

export interface FoundFace extends Area {
  /** 0 to 1. */
  score: number;
}

/** What faces are found with. */
export interface FaceFinder {
  /** Opened for the purpose `faces`. */
  model: LoadedModel;
  kernels: Kernels;
}

/**
 * @param thorough look at the second scale in any case: beside a large face there may be small ones that the first does not show
 * @returns the faces in whole pixels of the picture, inside it, largest first
 */
export async function findFaces(
  { model, kernels }: FaceFinder,
  picture: Scalable,
  thorough: boolean,
): Promise<FoundFace[]> {
  const scales = new Scales(kernels, picture);
  let found = await facesAt(model, scales, FIRST);
  const more = async (pixels: number) => {
    found = suppressed([...found, ...(await facesAt(model, scales, pixels))]);
  };
  // A small picture is as large at the second scale as at the first.
  const isCloser = scaleOf(picture, SECOND) > scaleOf(picture, FIRST);
  if (isCloser && (thorough || found.length === 0 || hasSmall(found, picture, FIRST))) await more(SECOND);
  if (found.length === 0) await more(LAST);
  else if (hasSmall(found, picture, SECOND)) await more(THIRD);
  return found
    .map((face) => wholePixels(face, picture))
    .toSorted((one, other) => other.width * other.height - one.width * one.height);
}

/** How many pixels of a scale there are to one of the picture, on a side. */
function scaleOf({ width, height }: Size, pixels: number): number {
  const scale = Math.min(MOST_ENLARGED, Math.sqrt(pixels / (width * height)));
  return scale > 1 && scale < LEAST_ENLARGED ? 1 : scale;
}

/** Whether a face is so small at a scale that it is worth looking closer, and a closer look is possible. */
function hasSmall(faces: readonly Face[], picture: Size, pixels: number): boolean {
  const scale = scaleOf(picture, pixels);
  return scale < MOST_ENLARGED && faces.some(({ width, height }) => Math.min(width, height) * scale < SMALL);
}

/** From here on a picture is large: it takes longer to read its samples than to look at what the second scale leaves of them. */
const LARGE = THIRD;

/** A picture at the scales. Those of a large one up to the second are made from that one, so that it is read once for them all. */
class Scales {
  readonly picture: Scalable;
  readonly #kernels: Kernels;
  #second: Image | undefined;

  constructor(kernels: Kernels, picture: Scalable) {
    this.#kernels = kernels;
    this.picture = picture;
  }

  async at(pixels: number): Promise<Shown> {
    // At least as much as the second scale needs, because that one is likely to follow.
    const image = await this.picture.atLeast(Math.max(pixels, SECOND));
    const isLarge = pixels <= SECOND && image.width * image.height > LARGE;
    return shownAt(this.#kernels, isLarge ? this.#reduced(image) : image, this.#sizeAt(pixels));
  }

  #reduced(image: Image): Image {
    this.#second ??= reducedTo(image, this.#sizeAt(SECOND)).copyMemory();
    return this.#second;
  }

  #sizeAt(pixels: number): Size {
    const { width, height } = this.picture;
    const scale = scaleOf(this.picture, pixels);
    return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  }
}

/** The faces that the model sees at one scale, in pixels of the picture. */
async function facesAt(model: LoadedModel, scales: Scales, pixels: number): Promise<Face[]> {
  const { picture } = scales;
  const shown = await scales.at(pixels);
  const faces: Face[] = [];
  for (const core of tiles(shown)) {
    const seen = await detectFaces(model, shown, grown(core, shown));
    faces.push(...seen.filter((face) => isCentredIn(face, core)));
  }
  const [across, down] = [picture.width / shown.width, picture.height / shown.height];
  return suppressed(faces).map(({ x, y, width, height, score }) => ({
    x: x * across,
    y: y * down,
    width: width * across,
    height: height * down,
    score,
  }));
}

/** The picture in parts of about the same size. */
function tiles({ width, height }: Size): Area[] {
  const [lefts, tops] = [edges(width), edges(height)];
  return tops.slice(1).flatMap((bottom, row) =>
    lefts.slice(1).map((right, column) => {
      const [x, y] = [lefts[column] as number, tops[row] as number];
      return { x, y, width: right - x, height: bottom - y };
    }),
  );
}

function edges(side: number): number[] {
  const parts = Math.ceil(side / TILE);
  return Array.from({ length: parts + 1 }, (_, index) => Math.round((index * side) / parts));
}

/** A part with the margin around it, as far as the picture goes. */
function grown({ x, y, width, height }: Area, picture: Size): Area {
  const [left, top] = [Math.max(0, x - MARGIN), Math.max(0, y - MARGIN)];
  const right = Math.min(picture.width, x + width + MARGIN);
  const bottom = Math.min(picture.height, y + height + MARGIN);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function isCentredIn(face: Area, { x, y, width, height }: Area): boolean {
  const [centreX, centreY] = [face.x + face.width / 2, face.y + face.height / 2];
  return centreX >= x && centreX < x + width && centreY >= y && centreY < y + height;
}

function wholePixels({ x, y, width, height, score }: Face, picture: Size): FoundFace {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  const right = Math.min(picture.width, Math.ceil(x + width));
  const bottom = Math.min(picture.height, Math.ceil(y + height));
  return { x: left, y: top, width: right - left, height: bottom - top, score };
}
