import type { FormatCodec } from '../../format-codec.ts';
import { magickReader } from '../../magick/read.ts';
import { anySamplesOf } from '../../write.ts';
import { deepPsdReader, isDeepPsd } from './deep.ts';
import { encodePsd } from './write.ts';

export const codec: FormatCodec = {
  reader: magickReader('psd'),
  fallback: { applies: isDeepPsd, load: () => Promise.resolve(deepPsdReader) },
  encode: (image, _encoding, _context, metadata) => encodePsd({ ...anySamplesOf(image, 'keep'), metadata }),
};
