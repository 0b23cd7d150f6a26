import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions, pageOptions } from '../../loader.ts';
import { clearToTransparent } from './clearing.ts';
import { endsEarly } from './metadata.ts';
import { coverScreen } from './screen.ts';
import { encodeGif } from './write.ts';

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) =>
      vips.Image.gifloadBuffer(bytes, { ...commonOptions(options), ...pageOptions(options) }),
    repair(bytes) {
      const covered = coverScreen(bytes);
      return { bytes: clearToTransparent(covered ?? bytes), added: covered ? 1 : 0 };
    },
    endsEarly,
    workingBytesPerPixel: () => 8,
    shrinks: false,
  },
  encode: (image, encoding) => encodeGif(image, { quality: encoding.lossless ? 100 : encoding.quality }),
};
