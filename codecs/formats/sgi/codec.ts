import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { sgi } from './definition.ts';
import { sgiStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(sgi.name, sgiStill),
};
