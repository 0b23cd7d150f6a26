import type { FormatCodec } from '../../format-codec.ts';
import { pcxStill } from '../../legacy/pcx.ts';
import { stillReader } from '../../legacy/still.ts';
import { pcx } from './definition.ts';

export const codec: FormatCodec = {
  reader: stillReader(pcx.name, pcxStill),
};
