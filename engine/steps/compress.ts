import { invalidParameter } from '../../base/failure.ts';
import { OUTPUT_FORMATS, OUTPUTS } from '../../codecs/formats/registry.ts';
import { conflictingParameters } from '../operations/errors.ts';
import { type MetadataMode, metadata } from './metadata.ts';
import { resize } from './resize.ts';
import { type Declare, defineStep, type ParamsOf, sameSize } from './step.ts';

const LOSSLESS_FORMATS = OUTPUT_FORMATS.filter((format) => OUTPUTS[format].lossless);

function declareEncoding(declare: Declare) {
  const { z, integer, colour, animatedFormat, described } = declare;
  const fileBytes = () => integer(1, 1_000_000_000);
  const { metadata: mode } = metadata.params(declare);
  return {
    format: described(
      animatedFormat(['auto', ...OUTPUT_FORMATS]).default('auto'),
      'Output format; auto keeps the input format, also of an SVG where no other parameter asks for pixels. ico holds the image at 16 to 256 pixels on a square; pdf holds a JPEG per page, and a PDF that needs no pixels stays the document that it is, with smaller images; psd is flat, with one layer when there is transparency.',
      'webp',
    ),
    mode: described(
      z.enum(['quality', 'smart', 'lossless', 'target']).default('quality'),
      `quality: encode at \`quality\`. smart: the smallest file that still looks like the original. lossless: every pixel is kept (${LOSSLESS_FORMATS.join(', ')}). target: the best quality within \`target_bytes\`.`,
      'smart',
    ),
    quality: described(integer(1, 100).default(75), 'Encoder quality; used by mode quality.', 80),
    target_bytes: described(fileBytes().optional(), 'Compress to at most this many bytes; replaces quality.', 100000),
    min_bytes: described(
      fileBytes().optional(),
      'Pad a JPEG or PNG result to at least this size without changing the image; other formats get the warning min_size_unavailable.',
      20000,
    ),
    background: described(
      colour().default('#ffffff'),
      'Painted behind transparent pixels when the output has no transparency.',
      '#ffffff',
    ),
    dpi: resize.params(declare).dpi,
    score: described(z.boolean().default(false), 'Adds the closeness of the result to the source.', true),
    fingerprint: described(z.boolean().default(false), 'Adds the perceptual hash of the source.', true),
    // Without it, the mode of a `metadata` step is used.
    metadata: mode
      .unwrap()
      .optional()
      .meta({ ...mode.meta() }),
  };
}

/** What determines the encoding of the result. */
export type EncodingParams = Omit<ParamsOf<typeof declareEncoding>, 'metadata'> & { metadata: MetadataMode };

export const compress = defineStep({
  label: { name: 'Compress', hint: 'Write it small, by quality or to a size.', group: 'File', place: 1 },
  params: declareEncoding,
  check: (params) => checkEncodingParams(params),
  effect: (_params, before) => sameSize(before, true),
  isEncoding: true,
  encoding: ({ metadata, ...params }) => (metadata === undefined ? params : { ...params, metadata }),
  encodesOutputs: true,
});

/** @throws Failure `conflicting_parameters` or `invalid_parameter` for limits of the file size that cannot hold */
export function checkEncodingParams({
  mode,
  target_bytes,
  min_bytes,
}: Pick<EncodingParams, 'mode' | 'target_bytes' | 'min_bytes'>): void {
  if (mode === 'target' && target_bytes === undefined)
    throw invalidParameter('a size in bytes with mode target', 'target_bytes', undefined);
  if (min_bytes !== undefined && target_bytes !== undefined && min_bytes > target_bytes) {
    throw conflictingParameters(
      'min_bytes',
      `Expected at most target_bytes (${target_bytes}) for min_bytes but received ${min_bytes}.`,
    );
  }
}
