/** In its own file because the rest loads svgo: 400 files that workers without SVGs do not need. */

import type { Header } from '../../../../codecs/decoded-image.ts';
import { FORMATS } from '../../../../codecs/formats/registry.ts';
import type { EncodingParams } from '../../../steps/compress.ts';

/** Whether the encoding leaves an SVG an SVG, if no step needs pixels. A resolution and padding need pixels. */
export function staysDrawing({ format }: Pick<Header, 'format'>, params: EncodingParams): boolean {
  return (
    FORMATS[format].web?.kind === 'vector' &&
    params.format === 'auto' &&
    params.dpi === undefined &&
    params.min_bytes === undefined
  );
}
