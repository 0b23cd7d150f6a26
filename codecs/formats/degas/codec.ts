import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { degas } from './definition.ts';
import { degasStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(degas.name, degasStill),
};
