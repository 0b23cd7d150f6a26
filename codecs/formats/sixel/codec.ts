import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { sixel } from './definition.ts';
import { sixelStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(sixel.name, sixelStill),
};
