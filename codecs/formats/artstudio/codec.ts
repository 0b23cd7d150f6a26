import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { artstudio } from './definition.ts';
import { artstudioStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(artstudio.name, artstudioStill),
};
