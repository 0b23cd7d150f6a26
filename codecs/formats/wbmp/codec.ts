import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { wbmp } from './definition.ts';
import { wbmpStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(wbmp.name, wbmpStill),
};
