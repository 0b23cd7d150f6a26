import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { qoi } from './definition.ts';
import { qoiStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(qoi.name, qoiStill),
};
