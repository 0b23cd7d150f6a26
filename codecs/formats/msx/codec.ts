import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { msx } from './definition.ts';
import { msxStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(msx.name, msxStill),
};
