import { volumeReader } from '../../volumes/reader.ts';
import { NAME, parseAnalyze } from './header.ts';

export const reader = volumeReader(NAME, parseAnalyze);
