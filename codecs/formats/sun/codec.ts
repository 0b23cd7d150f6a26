import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { sun } from './definition.ts';
import { sunStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(sun.name, sunStill),
};
