import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { rgf } from './definition.ts';
import { rgfStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(rgf.name, rgfStill),
};
