import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { tiny } from './definition.ts';
import { tinyStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(tiny.name, tinyStill),
};
