import { isGrey } from '../../colour.ts';
import type { FormatCodec } from '../../format-codec.ts';
import { encodeJpeg } from '../../jpeg.ts';
import { lossySettings } from '../../write.ts';
import { pdfPages, recodePdf } from './document.ts';
import { pdfReader } from './read.ts';
import { encodePdf } from './write.ts';

export const codec: FormatCodec = {
  reader: pdfReader,
  pages: pdfPages,
  recodeDocument: recodePdf,
  encode: (image, encoding, context, { density }) =>
    encodePdf({
      jpeg: encodeJpeg(context, image, lossySettings(encoding)),
      width: image.width,
      height: image.height,
      components: isGrey(image) ? 1 : 3,
      density,
    }),
};
