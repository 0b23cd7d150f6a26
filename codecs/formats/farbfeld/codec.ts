import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { farbfeld } from './definition.ts';
import { farbfeldStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(farbfeld.name, farbfeldStill),
};
