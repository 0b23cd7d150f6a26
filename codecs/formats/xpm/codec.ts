import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { xpm } from './definition.ts';
import { xpmStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(xpm.name, xpmStill),
};
