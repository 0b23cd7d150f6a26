/** Formats found faces as lines of text for people. */
import type { FaceDetection } from './record.ts';

export function facesText({ faces }: FaceDetection): string {
  if (faces.length === 0) return '  no faces\n';
  return faces
    .map(({ x, y, width, height, score }) => `  ${x},${y},${width},${height}  score ${score.toFixed(2)}\n`)
    .join('');
}
