import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { apple2 } from './definition.ts';
import { apple2Still } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(apple2.name, apple2Still),
};
