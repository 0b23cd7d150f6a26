import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { koala } from './definition.ts';
import { koalaStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(koala.name, koalaStill),
};
