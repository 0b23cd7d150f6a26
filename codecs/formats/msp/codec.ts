import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { msp } from './definition.ts';
import { mspStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(msp.name, mspStill),
};
