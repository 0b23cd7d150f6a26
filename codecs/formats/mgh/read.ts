import { volumeReader } from '../../volumes/reader.ts';
import { NAME, parseMgh } from './header.ts';

export const reader = volumeReader(NAME, parseMgh);
