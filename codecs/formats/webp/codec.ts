import { imageTooLarge } from '../../errors.ts';
import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions, type Loader, pageOptions } from '../../loader.ts';
import { Reader } from '../../metadata/bytes.ts';
import { trySize } from '../../size.ts';
import { completeWebp, loadTruncatedWebp } from '../../webp/truncated.ts';
import { limitPlays } from '../../webp-animation.ts';
import { encodeWebpFrames } from '../../webp-choice.ts';
import { MAX_WEBP_FRAMES, NAME, readSize, webpCanvasBytes } from './size.ts';

const load: Loader['load'] = (vips, bytes, options) =>
  vips.Image.webploadBuffer(bytes, { ...commonOptions(options), ...pageOptions(options), scale: 1 / options.shrink });

export const codec: FormatCodec = {
  loader: {
    load,
    loadTruncated: (vips, bytes, options) =>
      loadTruncatedWebp(vips, bytes, (complete) => load(vips, complete, { ...options, sequential: false })),
    repair: (bytes) => ({ bytes: completeWebp(bytes) ?? bytes, added: 0 }),
    endsEarly: (bytes) => completeWebp(bytes) !== undefined,
    workingBytesPerPixel: () => 12,
    decoderBytes: webpCanvasBytes,
    shrinks: true,
  },
  // libvips allocates the canvas when it reads the header.
  checkHeader(bytes, _page, limits) {
    const { decodedPixels = Number.POSITIVE_INFINITY } = limits ?? {};
    const size = trySize(() => readSize(new Reader(bytes, NAME, true)));
    const { width, height, frames = 1 } = size ?? { width: 0, height: 0 };
    if (width * height > decodedPixels) throw imageTooLarge(`${decodedPixels} pixels`, `${width} x ${height} pixels`);
    if (frames > MAX_WEBP_FRAMES) throw imageTooLarge(`${MAX_WEBP_FRAMES} frames`, `${frames} frames`);
  },
  encode: (image, encoding, context, _metadata, frames) => {
    const settings = encoding.lossless ? 'lossless' : { quality: encoding.quality, sharpChroma: encoding.fullChroma };
    if (frames > 1) limitPlays(image);
    return encodeWebpFrames(context, image, frames, settings);
  },
};
