import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { palm } from './definition.ts';
import { palmStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(palm.name, palmStill),
};
