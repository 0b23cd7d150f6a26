import type { ImageResult } from '../../result.ts';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import { type IdPhotoParams, idPhotoParams, PHOTO_DEFAULTS } from './params.ts';
import { resolvePhoto } from './photo.ts';
import { PHOTO_FORMATS, PRESETS } from './presets.ts';

export type IdPhotoInput = OperationInput<IdPhotoParams>;

export const idPhoto: OperationDefinition<'id-photo', typeof idPhotoParams, IdPhotoInput, ImageResult> = {
  name: 'id-photo',
  title: 'ID photo',
  hint: 'A passport or visa photo of the exact size that an authority asks for.',
  summary: 'Make an ID or passport photo of exact pixel size, resolution and file size, or a sheet of them',
  description:
    "Crops to the photo's shape, scales to the exact size, records the resolution and brings the file inside its range by quality alone. Face position, expression and lighting are not checked.",
  params: idPhotoParams,
  groups: [
    { title: 'Photo', isOpen: true, parameters: ['preset', 'crop', 'background', 'remove_background', 'sheet'] },
    { title: 'Own size', parameters: ['width_mm', 'height_mm', 'width', 'height', 'dpi'] },
    { title: 'File', parameters: ['format', 'min_bytes', 'max_bytes'] },
  ],
  check: resolvePhoto,
  output: { kind: 'image', formats: PHOTO_FORMATS, defaultFormat: PHOTO_DEFAULTS.format },
  errors: ['preset_not_found', 'model_unavailable'],
  meter: ({ remove_background }) => (remove_background ? 'ai' : 'requests'),
  model: 'background',
  commandExamples: ['me.jpg -o passport.jpg --preset us_visa'],
  commandNote: `Presets: ${[...PRESETS.keys()].join(', ')}.`,
};
