/** Auxiliary images that a request has besides its main image. */
import { Failure } from '../../base/failure.ts';
import { imageTooLarge } from '../../codecs/errors.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { decode, isDecodeError, vipsMessage, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { Image } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import type { SourceFile } from '../task.ts';
import { checkHeldBytes } from './decoding.ts';

/**
 * Decodes an auxiliary image into memory: upright, sRGB or grey, 8 bits, optionally with alpha.
 * @param name of the form part that it came as
 * @throws Failure as for the main image, naming the part
 */
export async function openAuxiliaryImage(context: WorkerContext, file: SourceFile, name: string): Promise<Image> {
  const { limits } = context;
  try {
    const bytes = new Uint8Array(file.data);
    const format = await formatOf(bytes, file.filename);
    const source = await openSource(context, { bytes, format, filename: file.filename });
    const { width, height } = source.header;
    if (width * height > limits.decodedPixels) {
      throw imageTooLarge(`${limits.decodedPixels} pixels`, `${width} x ${height} pixels`);
    }
    checkHeldBytes(context, source);
    const { frames } = await decode(context.vips, source, WHOLE_IMAGE);
    return frames[0];
  } catch (error) {
    if (error instanceof Failure) {
      throw new Failure(error.code, error.message.replace(' for image ', ` for ${name} `), {
        param: name,
        cause: error,
      });
    }
    if (!isDecodeError(error)) throw error;
    throw new Failure(
      'corrupt_image',
      `Expected a readable image for ${name} but received one that cannot be decoded.`,
      {
        param: name,
        cause: vipsMessage(error),
      },
    );
  }
}
