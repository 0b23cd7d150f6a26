import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions, pageOptions } from '../../loader.ts';
import { hasOtherChannels } from './codestream.ts';
import { encodeJxl, encodeLosslessJxl, withCodePoints } from './write.ts';

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) =>
      vips.Image.jxlloadBuffer(bytes, { ...commonOptions(options), ...pageOptions(options) }),
    workingBytesPerPixel: () => 16,
    shrinks: false,
  },
  fallback: { applies: hasOtherChannels, load: async () => (await import('./extra-channels.ts')).reader },
  encode(image, encoding, _context, _metadata, _frames, codePoints) {
    const coded = codePoints ? withCodePoints(image, codePoints) : image;
    return encoding.lossless ? encodeLosslessJxl(coded) : encodeJxl(coded, encoding);
  },
};
