import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions } from '../../loader.ts';

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) => vips.Image.radloadBuffer(bytes, commonOptions(options)),
    workingBytesPerPixel: () => 0,
    shrinks: false,
  },
};
