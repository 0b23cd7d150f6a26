import { volumeReader } from '../../volumes/reader.ts';
import { NAME, parseNifti } from './header.ts';

export const reader = volumeReader(NAME, parseNifti);
