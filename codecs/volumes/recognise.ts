/** Distinguishes the volume formats. Safe on the main thread: decompresses at most a kilobyte. */
import { isAnalyze } from './analyze.ts';
import { isMgh } from './mgh.ts';
import { isNifti } from './nifti.ts';
import { unpackHeader } from './unpack.ts';

/** Returns the format of a volume, compressed with gzip or not; undefined for anything else. Never throws. */
export function recogniseVolume(bytes: Uint8Array): 'nifti' | 'analyze' | 'mgh' | undefined {
  const header = unpackHeader(bytes);
  if (isNifti(header)) return 'nifti';
  if (isAnalyze(header)) return 'analyze';
  return isMgh(header) ? 'mgh' : undefined;
}
