import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { xv } from './definition.ts';
import { xvStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(xv.name, xvStill),
};
