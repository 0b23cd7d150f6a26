import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions, pageOptions } from '../../loader.ts';
import type { Image } from '../../vips.ts';
import { hasOtherChannels } from './codestream.ts';
import { encodeJxl, encodeLosslessJxl, withCodePoints } from './write.ts';

const MAX_WORD = 65_535;

/**
 * Converts floating-point samples to 16 bits. libvips takes them for linear light, although they are coded as the profile
 * says, or the code points.
 */
function withoutFloats(image: Image): Image {
  if (String(image.format) !== 'float') return image;
  const words = image.linear([MAX_WORD], [0.5]).cast('ushort');
  return words.copy({ interpretation: image.bands <= GREY_BANDS ? 'grey16' : 'rgb16' });
}

const GREY_BANDS = 2;

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) =>
      withoutFloats(vips.Image.jxlloadBuffer(bytes, { ...commonOptions(options), ...pageOptions(options) })),
    workingBytesPerPixel: () => 16,
    shrinks: false,
  },
  fallback: { applies: hasOtherChannels, load: async () => (await import('./extra-channels.ts')).reader },
  encode(image, encoding, _context, _metadata, _frames, codePoints) {
    const coded = codePoints ? withCodePoints(image, codePoints) : image;
    return encoding.lossless ? encodeLosslessJxl(coded) : encodeJxl(coded, encoding);
  },
};
