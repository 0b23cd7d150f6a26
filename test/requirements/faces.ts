import { chapter } from './requirement.ts';

export const faces = chapter('POST /api/v1/faces', {
  'faces.endpoint': 'POST /api/v1/faces answers with a face detection result.',
  'faces.boxes': 'Each face has x, y, width and height, integers in pixels of the image as displayed.',
  'faces.score': 'Each face has a score from 0 to 1.',
  'faces.largest-first': 'The faces are listed largest first.',
  'faces.size': 'width and height are the image size as displayed, after EXIF orientation.',
  'faces.duration-ms': 'duration_ms is an integer.',
  'faces.nothing-stored': 'Nothing is stored.',
});
