import type { FormatCodec } from '../../format-codec.ts';
import { volumeReader } from '../../volumes/reader.ts';
import { mgh } from './definition.ts';
import { parseMgh } from './header.ts';

export const codec: FormatCodec = {
  reader: volumeReader(mgh.name, parseMgh),
};
