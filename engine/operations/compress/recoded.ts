/** The source's own file in fewer bytes, with every pixel kept (spec/shapes.md, "Never larger"). */
import type { OutputFormat } from '../../../codecs/formats.ts';
import { withJpegCodec } from '../../../codecs/jpeg/codec.ts';
import { recodeJpeg } from '../../../codecs/jpeg/recode.ts';
import type { WorkerContext } from '../../context.ts';

/** Share of a file that is saved at most, but for files of few pixels. */
const MAX_SAVINGS = 0.25;

/**
 * A JPEG with the codes and scans that suit its coefficients; any other file as it is.
 * @param bytes to compare with: a file that cannot become as small is left as it is
 */
export function recoded(
  { modules }: Pick<WorkerContext, 'modules'>,
  format: OutputFormat,
  file: Uint8Array,
  bytes: number,
): Uint8Array {
  if (format !== 'jpeg' || bytes < file.length * (1 - MAX_SAVINGS)) return file;
  return withJpegCodec(modules, (codec) => recodeJpeg(codec, file)) ?? file;
}
