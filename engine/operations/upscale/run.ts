/** Runs `upscale` in the worker: opens the image, doubles width and height with a super-resolution network, encodes. */
import { fitMetadata, readMetadata } from '../../../codecs/metadata/index.ts';
import { checkSize } from '../../../codecs/write.ts';
import { SCALE } from '../../../models/upscale.ts';
import type { WorkerContext } from '../../context.ts';
import type { ImageResult } from '../../result.ts';
import { headerOfKeptPages, onEveryPage } from '../every-page.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { encodeStill, openStill, sourceFormat } from '../still.ts';
import { transferable } from '../transferable.ts';
import { type UpscaleInput, upscale } from './definition.ts';
import { double } from './double.ts';
import { UPSCALE_FORMATS } from './params.ts';
import { checkUpscaleSize } from './size.ts';

/** @throws Failure `model_unavailable`, `unsupported_output`, and as for `openStill` and `checkUpscaleSize` */
export const run = (context: WorkerContext, input: UpscaleInput): Promise<ImageResult> =>
  retryTruncated(context.vips, input.image, async (tolerant) => {
    const { image, params } = input;
    const header = await headerOfKeptPages(context, image, params);
    if (!header) return upscaleImage(context, input, tolerant);
    const { joined } = await onEveryPage(context, {
      ...{ image, header },
      run: ({ image, page }) => upscaleImage(context, { ...input, image, params: { ...params, page } }, tolerant),
    });
    return joined;
  });

async function upscaleImage(
  context: WorkerContext,
  { image, params, maxPixels }: UpscaleInput,
  tolerant: boolean,
): Promise<ImageResult> {
  const started = performance.now();
  const { header, frame, source, warnings } = await openStill(context, image, {
    estimate: upscale.estimate,
    page: params.page,
    tolerant,
    keepDepth: true,
    check: (header) => checkUpscaleSize(context, header, maxPixels),
    // A vector image is rendered at twice the size, which is better than any network.
    scale: () => SCALE,
  });
  const [width, height] = [header.width * SCALE, header.height * SCALE];
  const format =
    params.format === 'auto' ? sourceFormat(context, source.format, frame, UPSCALE_FORMATS) : params.format;
  checkSize(format, width, height);
  const decodedAt = performance.now();

  const drawn = frame.width > header.width || frame.height > header.height;
  const doubled = drawn
    ? // The rendered size may differ by rounding.
      frame.embed(0, 0, width, height, { extend: 'copy' })
    : await double(context.vips, await context.models.open('upscale'), frame);
  const processedAt = performance.now();

  // The print size doubles: twice the pixels at the source's resolution.
  const { density } = readMetadata(source.format, new Uint8Array(image.data));
  const metadata = fitMetadata(format, density ? { density } : {});
  const encoded = await encodeStill(context, doubled, { format, header, metadata });
  return {
    data: transferable(encoded.bytes),
    format,
    width,
    height,
    dpi: metadata.density ? Math.round(metadata.density.x) : null,
    outcome: 'done',
    warnings: [...warnings, ...encoded.warnings],
    source,
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
  };
}
