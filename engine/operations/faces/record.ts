/**
 * The result of faces (specification, "Face detection result"). Declared once, for the type and for the documentation.
 */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import type { Phases, Warning } from '../../result.ts';

const pixels = (description: string, example: number) => described(z.int().min(1), description, example);
const place = (description: string, example: number) => described(z.int().min(0), description, example);

const face = z
  .object({
    x: place('Left edge, in pixels of the image as displayed.', 412),
    y: place('Upper edge.', 96),
    width: pixels('Inside the image.', 180),
    height: pixels('Inside the image.', 231),
    score: described(z.number().min(0).max(1), 'How sure the detection is.', 0.93),
  })
  .meta({ id: 'Face' });

const detection = z.object({
  width: pixels('Of the image as displayed, after EXIF orientation.', 1280),
  height: pixels('Of the image as displayed.', 853),
  faces: described(z.array(face), 'Largest first.'),
});
export type FaceDetection = z.output<typeof detection>;

export const faceDetectionResult = detection
  .extend({
    duration_ms: described(z.int().min(0), 'Processing time.', 120),
  })
  .meta({ id: 'FaceDetectionResult' });
export type FaceDetectionResult = z.output<typeof faceDetectionResult>;

export interface FacesResult {
  record: FaceDetection;
  warnings: Warning[];
  phases: Phases;
}

export function facesText({ faces }: FaceDetection): string {
  if (faces.length === 0) return '  no faces\n';
  return faces
    .map(({ x, y, width, height, score }) => `  ${x},${y},${width},${height}  score ${score.toFixed(2)}\n`)
    .join('');
}
