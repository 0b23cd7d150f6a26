import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { xbm } from './definition.ts';
import { xbmStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(xbm.name, xbmStill),
};
