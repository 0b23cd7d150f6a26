/** The built-in pipelines (docs/spec/shapes.md, section 9.7), as a client would write them. Main-thread safe. */
import { OUTPUT_FORMATS, OUTPUTS } from '../../codecs/formats/registry.ts';
import type { Condition } from './conditions.ts';

const LOSSLESS = OUTPUT_FORMATS.filter((format) => OUTPUTS[format].lossless);

export interface PipelineTemplate {
  name: string;
  description: string;
  steps: readonly { op: string; when?: Condition; params?: Readonly<Record<string, unknown>> }[];
}

export const TEMPLATES: readonly PipelineTemplate[] = [
  {
    name: 'web',
    description: 'For a page: at most 1920 pixels on a side, the smallest WebP that still looks like the original.',
    steps: [
      { op: 'resize', params: { max_width: 1920, max_height: 1920 } },
      { op: 'compress', params: { format: 'webp', mode: 'smart' } },
    ],
  },
  {
    name: 'thumbnail',
    description: 'A square around the subject, 320 pixels wide, as WebP.',
    steps: [
      { op: 'crop', params: { crop_ratio: '1:1', crop_gravity: 'attention' } },
      { op: 'resize', params: { width: 320 } },
      { op: 'compress', params: { format: 'webp', quality: 78 } },
    ],
  },
  {
    name: 'social-card',
    description: 'The preview of a link: 1200 x 630 pixels, filled and cut, as JPEG.',
    steps: [
      { op: 'resize', params: { width: 1200, height: 630, fit: 'cover', enlarge: true } },
      { op: 'compress', params: { format: 'jpeg', quality: 82 } },
    ],
  },
  {
    name: 'avatar',
    description: 'A circle around the subject, 256 pixels wide, on a transparent ground.',
    steps: [
      { op: 'crop', params: { crop_ratio: '1:1', crop_gravity: 'attention', crop_shape: 'circle' } },
      { op: 'resize', params: { width: 256 } },
      { op: 'compress', params: { format: 'png' } },
    ],
  },
  {
    name: 'product-white',
    description: 'The subject cut out and centred on white, 1200 x 1200 pixels, at most 300,000 bytes.',
    steps: [
      { op: 'remove_background', params: { background: '#ffffff', frame: '1200x1200', subject_fill: 85 } },
      { op: 'compress', params: { format: 'jpeg', target_bytes: 300_000 } },
    ],
  },
  {
    name: 'privacy',
    description: 'Faces made unrecognisable, and no metadata.',
    steps: [
      { op: 'blur_faces' },
      { op: 'metadata', params: { metadata: 'strip' } },
      { op: 'compress', params: { format: 'auto', quality: 85 } },
    ],
  },
  {
    name: 'email',
    description: 'At most 1600 pixels on a side and 500,000 bytes, as JPEG.',
    steps: [
      { op: 'resize', params: { max_width: 1600, max_height: 1600 } },
      { op: 'compress', params: { format: 'jpeg', target_bytes: 500_000 } },
    ],
  },
  {
    name: 'archive',
    description:
      'Every pixel and all metadata kept: in the format of the source where that can be, else as PNG, or WebP when it moves.',
    steps: [
      { op: 'metadata', params: { metadata: 'keep' } },
      { op: 'compress', when: { format: LOSSLESS }, params: { mode: 'lossless' } },
      // For sources in JPEG, GIF, or a format that is only read.
      { op: 'compress', when: { animated: true }, params: { format: 'webp', mode: 'lossless' } },
      { op: 'compress', params: { format: 'png', mode: 'lossless' } },
    ],
  },
];
