import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { pam } from './definition.ts';
import { pamStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(pam.name, pamStill),
};
