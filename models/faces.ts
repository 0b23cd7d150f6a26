/**
 * Finds faces with YuNet (Wu, Peng and Yu, "YuNet: A Tiny Millisecond-level
 * Face Detector", 2023). It was trained on faces of about 10 pixels and more.
 */
import type { Box, Point, Size } from '../base/geometry.ts';
import type { LoadedModel, Output } from './runtime.ts';

/** Centres of the eyes and corners of the mouth, the left one in the image first. */
export interface Landmarks {
  eyes: readonly [Point, Point];
  mouth: readonly [Point, Point];
}

/** A face. Its box reaches from the forehead to the chin and may extend beyond the image. */
export interface Face extends Box {
  /** 0 to 1. */
  score: number;
  landmarks: Landmarks;
}

/** The same face where a position of the image becomes another. @param scale of the widths and of the heights */
export function moveFace({ score, landmarks, ...box }: Face, offset: Point, scale: Point = { x: 1, y: 1 }): Face {
  const move = ({ x, y }: Point): Point => ({ x: (x + offset.x) * scale.x, y: (y + offset.y) * scale.y });
  const [eyes, mouth] = [landmarks.eyes, landmarks.mouth];
  return {
    ...{ ...move(box), width: box.width * scale.x, height: box.height * scale.y, score },
    landmarks: { eyes: [move(eyes[0]), move(eyes[1])], mouth: [move(mouth[0]), move(mouth[1])] },
  };
}

/** An image at the size for the model. */
export interface ModelInput extends Size {
  /**
   * Returns blue, green and red planes of this size, 0 to 255: the
   * area at the top left, black beyond it. Valid until the next call.
   */
  planes(area: Box, size: Size): Float32Array;
}

/** Sides in pixels of the model's output cells. The sides of the input are multiples of the largest. */
const STRIDES = [8, 16, 32] as const;
const MULTIPLE = 32;

/** Points that the model finds of each face. */
const POINTS = 5;

/** Values of the authors' own demo. */
const MIN_SCORE = 0.6;
const MAX_OVERLAP = 0.3;
/**
 * Maximum share of a box inside a better one: in a face too
 * large for the scale, an eye or a mouth is detected as a face.
 */
const MAX_CONTAINED_SHARE = 0.75;

/**
 * Finds the faces in an area of an image, in pixels of the image, best first.
 * @param model a model of the purpose `faces`
 */
export async function detectFaces(model: LoadedModel, shown: ModelInput, area: Box): Promise<Face[]> {
  const width = Math.ceil(area.width / MULTIPLE) * MULTIPLE;
  const height = Math.ceil(area.height / MULTIPLE) * MULTIPLE;
  const outputs = await model.run({ data: shown.planes(area, { width, height }), shape: [1, 3, height, width] });
  const faces = STRIDES.flatMap((stride) => decodeFaces(outputs, stride, width / stride));
  return suppressOverlaps(faces.map((face) => moveFace(face, area)));
}

/** Returns the faces in the cells of one stride. Each cell has a class score, an object score, a box and points. */
function decodeFaces(outputs: readonly Output[], stride: number, columns: number): Face[] {
  const classes = findOutput(outputs, `cls_${stride}`);
  const objects = findOutput(outputs, `obj_${stride}`);
  const boxes = findOutput(outputs, `bbox_${stride}`);
  const points = findOutput(outputs, `kps_${stride}`);
  const faces: Face[] = [];
  for (let cell = 0; cell < classes.length; cell += 1) {
    const score = Math.sqrt(clampScore(classes[cell]) * clampScore(objects[cell]));
    if (score < MIN_SCORE) continue;
    const [x = 0, y = 0, w = 0, h = 0] = boxes.subarray(cell * 4, cell * 4 + 4);
    const width = Math.exp(w) * stride;
    const height = Math.exp(h) * stride;
    const [column, row] = [cell % columns, Math.floor(cell / columns)];
    const point = (index: number): Point => {
      const [across = 0, down = 0] = points.subarray((cell * POINTS + index) * 2);
      return { x: (column + across) * stride, y: (row + down) * stride };
    };
    faces.push({
      ...{ x: (column + x) * stride - width / 2, y: (row + y) * stride - height / 2, width, height, score },
      // Point 2 is the tip of the nose.
      landmarks: { eyes: [point(0), point(1)], mouth: [point(3), point(4)] },
    });
  }
  return faces;
}

/** The model's scores are sometimes slightly out of range. */
const clampScore = (value = 0): number => Math.min(1, Math.max(0, value));

function findOutput(outputs: readonly Output[], name: string): Float32Array {
  const output = outputs.find((candidate) => candidate.name === name);
  if (!output) throw new Error(`Expected a model with an output ${name} but received one without`);
  return output.data;
}

/** Keeps the best of boxes that overlap or contain each other (non-maximum suppression), best first. */
export function suppressOverlaps<F extends Box & { score: number }>(faces: readonly F[]): F[] {
  const kept: F[] = [];
  for (const face of faces.toSorted((one, other) => other.score - one.score)) {
    if (!kept.some((better) => suppresses(better, face))) kept.push(face);
  }
  return kept;
}

function suppresses(better: Box, other: Box): boolean {
  const width = Math.min(better.x + better.width, other.x + other.width) - Math.max(better.x, other.x);
  const height = Math.min(better.y + better.height, other.y + other.height) - Math.max(better.y, other.y);
  if (width <= 0 || height <= 0) return false;
  const shared = width * height;
  const own = other.width * other.height;
  const union = better.width * better.height + own - shared;
  return shared > MAX_OVERLAP * union || shared > MAX_CONTAINED_SHARE * own;
}
