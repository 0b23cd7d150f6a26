import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { wal } from './definition.ts';
import { walStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(wal.name, walStill),
};
