import type { ImageResult } from '../../result.ts';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import type { Alignment } from './head.ts';
import { type IdPhotoParams, idPhotoParams, modelsOf, PHOTO_DEFAULTS } from './params.ts';
import { resolvePhoto } from './photo.ts';
import { PHOTO_FORMATS, PRESETS } from './presets.ts';

export type IdPhotoInput = OperationInput<IdPhotoParams>;

export interface IdPhotoResult extends ImageResult {
  /** If the photo was placed on a face. */
  alignment?: Alignment;
}

const percent = (share: number): number => Math.round(share * 1000) / 10;

export const idPhoto: OperationDefinition<'id-photo', typeof idPhotoParams, IdPhotoInput, IdPhotoResult> = {
  name: 'id-photo',
  title: 'ID photo',
  hint: 'A passport or visa photo of the exact size that an authority asks for.',
  summary: 'Make an ID or passport photo of exact pixel size, resolution and file size, or a sheet of them',
  description:
    "Crops to the photo's shape, scales to the exact size, records the resolution and brings the file inside its range by quality alone. With align=face, the photo is placed on the face. Expression and lighting are not checked.",
  params: idPhotoParams,
  groups: [
    {
      title: 'Photo',
      isOpen: true,
      parameters: ['preset', 'align', 'crop', 'background', 'remove_background', 'sheet'],
    },
    { title: 'Own size', parameters: ['width_mm', 'height_mm', 'width', 'height', 'dpi'] },
    { title: 'File', parameters: ['format', 'min_bytes', 'max_bytes'] },
  ],
  check: resolvePhoto,
  output: {
    kind: 'image',
    formats: PHOTO_FORMATS,
    defaultFormat: PHOTO_DEFAULTS.format,
    fields: {
      head_percent: {
        header: 'X-IC-Head-Percent',
        description: 'with align=face, the height of the head, chin to estimated crown, in percent of the photo.',
        example: 75,
        value: ({ alignment }) => alignment && percent(alignment.head),
      },
      eyes_percent: {
        header: 'X-IC-Eyes-Percent',
        description: 'with align=face, the height of the eyes above the lower edge, in percent of the photo.',
        example: 56,
        value: ({ alignment }) => alignment && percent(alignment.eyes),
      },
      rotated_degrees: {
        header: 'X-IC-Rotated-Degrees',
        description: 'with align=face, the degrees clockwise by which the image was rotated to level the eyes.',
        example: -2.5,
        value: ({ alignment }) => alignment && Math.round(alignment.degrees * 10) / 10,
      },
    },
  },
  errors: ['preset_not_found', 'no_subject', 'model_unavailable'],
  meter: (params) => (modelsOf(params).length > 0 ? 'ai' : 'requests'),
  model: 'background',
  commandExamples: ['me.jpg -o passport.jpg --preset us_visa'],
  commandNote: `Presets: ${[...PRESETS.keys()].join(', ')}.`,
};
