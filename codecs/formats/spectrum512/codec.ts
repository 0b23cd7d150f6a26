import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { spectrum512 } from './definition.ts';
import { spectrum512Still } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(spectrum512.name, spectrum512Still),
};
