import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { zxscreen } from './definition.ts';
import { zxscreenStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(zxscreen.name, zxscreenStill),
};
