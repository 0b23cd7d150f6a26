import { chapter } from './requirement.ts';

export const inspect = chapter('POST /api/v1/inspect', {
  'inspect.endpoint': 'POST /api/v1/inspect answers an image with 200 and a JSON record.',
  'inspect.format': 'The record reports the format.',
  'inspect.size': 'The record reports the size.',
  'inspect.metadata': 'The record reports the metadata.',
  'inspect.gps': 'The record reports the GPS position.',
  'inspect.fingerprints': 'The record reports the fingerprints.',
});
