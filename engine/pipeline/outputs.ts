/**
 * Several results of one pipeline: every width in every format (docs/spec/shapes.md, section 9.8). Their declaration,
 * and their sizes. Main-thread safe.
 */

import { z } from 'zod';
import { described } from '../../base/described.ts';
import type { Size } from '../../base/geometry.ts';
import { FORMATS, OUTPUT_FORMATS, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import { STEP_PARAMS } from '../steps/registry.ts';
import { planResize } from '../steps/resize.ts';

export const MAX_WIDTHS = 12;
export const MAX_OUTPUT_FORMATS = 4;
/** Maximum number of results. */
export const MAX_OUTPUTS = 24;

/** The formats of single images that browsers show. */
export const WEB_OUTPUT_FORMATS = OUTPUT_FORMATS.filter(
  (format) => FORMATS[format].web?.kind === 'image' && !OUTPUTS[format].pages,
) as [OutputFormat, ...OutputFormat[]];

const width = STEP_PARAMS.resize.shape.width.unwrap();
const format = z.enum(WEB_OUTPUT_FORMATS);
const quality = STEP_PARAMS.compress.shape.quality.unwrap();

export const outputsSchema = z
  .strictObject({
    widths: described(
      z.array(width).min(1).max(MAX_WIDTHS),
      'In pixels. A width above that of the image gives the image at its own width, once.',
      [320, 640, 1280],
    ),
    formats: described(z.array(format).min(1).max(MAX_OUTPUT_FORMATS), 'Each width is written in each of them.', [
      'avif',
      'webp',
      'jpeg',
    ]),
    quality: described(
      z.union([quality, z.partialRecord(format, quality)]).optional(),
      'Encoder quality: one for all formats, or one for each format, as in {"avif": 50, "webp": 75}. Default: that of the compress step, which has 75.',
      { avif: 50 },
    ),
    mode: described(
      z.enum(['quality', 'smart', 'lossless']).optional(),
      'How each result is encoded. Default: the mode of the compress step.',
      'smart',
    ),
  })
  .meta({
    id: 'Outputs',
    description: `At most ${MAX_OUTPUTS} results: every width in every format. The steps run once, and each result is scaled from what they give.`,
  });
export type Outputs = z.output<typeof outputsSchema>;

/** Maximum number of results of a request. */
export const countOutputs = ({ widths, formats }: Outputs): number => widths.length * formats.length;

/** The quality for a format; undefined if the request gives none. */
export const qualityFor = ({ quality }: Outputs, format: OutputFormat): number | undefined =>
  typeof quality === 'object' ? quality[format as keyof typeof quality] : quality;

/**
 * The sizes of the results, narrow ones first: the ratio stays, and nothing is enlarged, so all widths from that of the
 * image on give one size.
 * @param image after the steps
 */
export function outputSizes(image: Size, { widths }: Pick<Outputs, 'widths'>): Size[] {
  const possible = [...new Set(widths.map((each) => Math.min(each, image.width)))].sort((one, other) => one - other);
  return possible.map((each) => planResize(image, resizeTo(each)).scaled);
}

/** The parameters of a resize to a width. */
export const resizeTo = (width: number) => STEP_PARAMS.resize.parse({ width });
