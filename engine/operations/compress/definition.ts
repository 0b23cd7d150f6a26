import { described } from '../../../base/described.ts';
import { OUTPUT_FORMATS } from '../../../codecs/formats/registry.ts';
import type { ImageResult } from '../../result.ts';
import type { SourceFile } from '../../source-file.ts';
import { STEP_PARAMS, STEPS } from '../../steps/registry.ts';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import { isAnimatedOutput } from '../frame-use.ts';
import { sourceParams } from '../parameters.ts';
import { type CompressParams, checkCompressParams, compressParams } from './params.ts';

export interface CompressInput extends OperationInput<CompressParams> {
  watermark?: SourceFile;
}

const { mode, quality, target_bytes, format, width, height, metadata, background } = compressParams.shape;

/** The parameters that compress takes from these steps, without the background, which several have. */
const parametersOf = (...steps: (keyof typeof STEP_PARAMS)[]): string[] =>
  steps
    .flatMap((step) => Object.keys(STEP_PARAMS[step].shape))
    .filter((name) => name in compressParams.shape && name !== 'background');

export const compress: OperationDefinition<'compress', typeof compressParams, CompressInput, ImageResult> = {
  name: 'compress',
  title: 'Compress',
  hint: 'A smaller file; also another format, size, crop, colours or a watermark.',
  summary: 'Compress, convert, resize, crop, rotate, flip, edit and watermark an image',
  description:
    'The order of work is: orient, trim, crop, flip, rotate, resize, colour adjustments, pad, circle mask, border, watermark, encode. Options combine freely.',
  params: compressParams,
  groups: [
    {
      title: 'Format and size of file',
      isOpen: true,
      parameters: ['format', 'mode', 'quality', 'target_bytes'],
    },
    {
      title: 'Size',
      parameters: parametersOf('resize'),
    },
    {
      title: 'Crop and turn',
      // The focus is also a parameter of the resize.
      parameters: ['trim', ...parametersOf('trim', 'crop', 'flip', 'rotate')].filter(
        (name) => !(name in STEP_PARAMS.resize.shape),
      ),
    },
    {
      title: 'Adjust',
      parameters: parametersOf('adjust', 'border'),
    },
    { title: 'Watermark', parameters: parametersOf('watermark') },
    { title: 'Metadata', parameters: parametersOf('metadata') },
    { title: 'Padding and background', parameters: ['min_bytes', 'background'] },
  ],
  check: checkCompressParams,
  auxiliaryImages: { watermark_image: 'A logo to draw as the watermark.' },
  output: { kind: 'image', formats: OUTPUT_FORMATS, defaultFormat: 'auto', kept: ['svg'] },
  errors: ['upgrade_required', 'model_unavailable'],
  // A cut around faces finds them with a model.
  meter: (params) => ([STEPS.crop, STEPS.resize].some(({ models }) => models?.(params).length) ? 'ai' : 'requests'),
  model: 'faces',
  frameUse: (params, source) => (isAnimatedOutput(params.format, source) ? 'all' : 'one'),
  toInput: (image, params, { watermark_image: watermark }) => ({ image, params, ...(watermark ? { watermark } : {}) }),
  commandExamples: ['photo.jpg -o photo.webp --quality 80', 'photos -o small --format webp --max-width 1600'],
  canReplaceSource: true,
  agentTools: [
    {
      name: 'compress_image',
      title: 'Compress an image',
      description:
        'Makes an image smaller, and resizes it where width or height is given. Reads more than 75 formats. Costs one request.',
      params: sourceParams
        .pick({ filename: true })
        .extend({ mode, quality, target_bytes, format, width, height, metadata }),
    },
    {
      name: 'convert_image',
      title: 'Convert an image',
      description:
        'Converts an image to another format: also a page of a PDF, a camera RAW or a HEIC photo. Costs one request.',
      params: compressParams.pick({}).extend({
        format: described(format.unwrap().exclude(['auto']), 'Output format.', 'webp'),
        quality,
        background,
        page: sourceParams.shape.page,
      }),
      needs: 'format',
    },
  ],
};
