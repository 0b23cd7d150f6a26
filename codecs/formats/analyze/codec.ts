import type { FormatCodec } from '../../format-codec.ts';
import { volumeReader } from '../../volumes/reader.ts';
import { analyze } from './definition.ts';
import { parseAnalyze } from './header.ts';

export const codec: FormatCodec = {
  reader: volumeReader(analyze.name, parseAnalyze),
};
