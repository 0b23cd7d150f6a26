import type { FormatCodec } from '../../format-codec.ts';
import { stillReader } from '../../legacy/still.ts';
import { macpaint } from './definition.ts';
import { macpaintStill } from './read.ts';

export const codec: FormatCodec = {
  reader: stillReader(macpaint.name, macpaintStill),
};
