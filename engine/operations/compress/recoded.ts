/** Re-codes the source's own file in fewer bytes, with every pixel kept (docs/spec/shapes.md, "Never larger"). */
import { FORMATS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { withJpegCodec } from '../../../codecs/jpeg/codec.ts';
import { recodeJpeg } from '../../../codecs/jpeg/recode.ts';
import type { WorkerContext } from '../../context.ts';

/** Largest share of a file that re-coding saves, except for files of few pixels. */
const MAX_SAVINGS = 0.25;

/** Whether re-coding may reduce a file to at most this size. */
export const canShrinkTo = (bytes: number, file: Uint8Array): boolean => bytes >= file.length * (1 - MAX_SAVINGS);

/** Re-codes a JPEG with optimal Huffman codes and scans. Returns any other file unchanged. */
export function recodeFile(
  { modules }: Pick<WorkerContext, 'modules'>,
  format: OutputFormat,
  file: Uint8Array,
): Uint8Array {
  if (!FORMATS[format].jpegStream) return file;
  return withJpegCodec(modules, (codec) => recodeJpeg(codec, file)) ?? file;
}
