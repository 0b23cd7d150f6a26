import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { neochrome } from './definition.ts';
import { neochromeStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(neochrome.name, neochromeStill),
};
