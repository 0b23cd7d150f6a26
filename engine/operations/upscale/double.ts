/** Doubles the width and height of an image, including its alpha. */
import type { SampleData } from '../../../base/sample-data.ts';
import { hasAlpha, isDeep } from '../../../codecs/colour.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { LoadedModel } from '../../../models/runtime.ts';
import { type Samples, SCALE, upscale } from '../../../models/upscale.ts';
import { fillHidden, restoreUniformAlpha } from './alpha.ts';

/** @param frame sRGB or grey, 8 or 16 bits, optionally with alpha; the result has the same format */
export async function double(vips: VipsApi, model: LoadedModel, frame: Image): Promise<Image> {
  const { width, height, interpretation } = frame;
  const channels = (frame.bands - Number(hasAlpha(frame))) as Samples['channels'];
  const colours = frame.extractBand(0, { n: channels }).writeToMemory() as SampleData;
  const alpha = hasAlpha(frame) ? (frame.extractBand(channels).writeToMemory() as SampleData) : undefined;
  if (alpha) fillHidden(colours, alpha, width);

  const format = isDeep(frame) ? vips.BandFormat.ushort : vips.BandFormat.uchar;
  const imageOf = (samples: SampleData, bands: number) =>
    vips.Image.newFromMemory(samples, width * SCALE, height * SCALE, bands, format);
  const doubled = imageOf(await upscale(model, { data: colours, width, height, channels }), channels);
  if (!alpha) return doubled.copy({ interpretation });
  const opacity = await upscale(model, { data: alpha, width, height, channels: 1 });
  restoreUniformAlpha(opacity, alpha, width);
  return doubled.bandjoin(imageOf(opacity, 1)).copy({ interpretation });
}
