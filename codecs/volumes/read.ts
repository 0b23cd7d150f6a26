/** Reads the volumes of medical research: NIfTI, Analyze and FreeSurfer, each optionally compressed with gzip. */
import type { FormatReader } from '../format-reader.ts';
import { FORMATS } from '../formats/registry.ts';
import { parseAnalyze } from './analyze.ts';
import { parseMgh } from './mgh.ts';
import { parseNifti } from './nifti.ts';
import { volumeReader } from './reader.ts';

export const niftiReader: FormatReader = volumeReader(FORMATS.nifti.name, parseNifti);
export const analyzeReader: FormatReader = volumeReader(FORMATS.analyze.name, parseAnalyze);
export const mghReader: FormatReader = volumeReader(FORMATS.mgh.name, parseMgh);
