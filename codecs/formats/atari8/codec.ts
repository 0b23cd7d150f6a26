import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { atari8 } from './definition.ts';
import { atari8Still } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(atari8.name, atari8Still),
};
