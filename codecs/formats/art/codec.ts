import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { art } from './definition.ts';
import { artStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(art.name, artStill),
};
