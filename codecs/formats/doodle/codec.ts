import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { doodle } from './definition.ts';
import { doodleStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(doodle.name, doodleStill),
};
