import type { FormatCodec } from '../../format-codec.ts';
import { magickReader } from '../../magick/read.ts';
import { anySamplesOf } from '../../write.ts';
import { encodePsd } from './write.ts';

export const codec: FormatCodec = {
  reader: magickReader('psd'),
  encode: (image, _encoding, _context, metadata) => encodePsd({ ...anySamplesOf(image, 'keep'), metadata }),
};
