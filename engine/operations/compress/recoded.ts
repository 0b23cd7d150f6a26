/** The source's own file in fewer bytes, with every pixel kept (spec/shapes.md, "Never larger"). */
import type { OutputFormat } from '../../../codecs/formats.ts';
import { withJpegCodec } from '../../../codecs/jpeg/codec.ts';
import { recodeJpeg } from '../../../codecs/jpeg/recode.ts';
import type { WorkerContext } from '../../context.ts';

/** Share of a file that is saved at most, but for files of few pixels. */
const MAX_SAVINGS = 0.25;

/** Whether a file may have at most so many bytes when it is re-coded. */
export function mayBecome(bytes: number, file: Uint8Array): boolean {
  return bytes >= file.length * (1 - MAX_SAVINGS);
}

/** A JPEG with the codes and scans that suit its coefficients; any other file as it is. */
export function recoded(
  { modules }: Pick<WorkerContext, 'modules'>,
  format: OutputFormat,
  file: Uint8Array,
): Uint8Array {
  if (format !== 'jpeg') return file;
  return withJpegCodec(modules, (codec) => recodeJpeg(codec, file)) ?? file;
}
