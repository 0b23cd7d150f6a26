/** The contenders, in the order of the first round. */
import { extname } from 'node:path';
import { isMissing, type Workload } from '../workloads.ts';

export interface ContenderInfo {
  name: string;
  /** The field of a workload that declares how this contender runs it. */
  entry: 'imagecrew' | 'sharp' | 'sharp-small' | 'jsquash' | 'magick';
  color: string;
}

/** The reference contender for ratios. */
export const REFERENCE = 'sharp';
/** The reference where small files are the goal. */
export const SMALL_FILE_REFERENCE = 'sharp-small';

export const CONTENDERS: readonly ContenderInfo[] = [
  { name: 'imagecrew', entry: 'imagecrew', color: '#1565c0' },
  { name: 'imagecrew-http', entry: 'imagecrew', color: '#64b5f6' },
  { name: REFERENCE, entry: 'sharp', color: '#2e7d32' },
  { name: 'sharp-small', entry: 'sharp-small', color: '#66bb6a' },
  { name: 'sharp-wasm32', entry: 'sharp', color: '#a5d6a7' },
  { name: 'jsquash', entry: 'jsquash', color: '#ef6c00' },
  { name: 'magick-wasm', entry: 'magick', color: '#8d6e63' },
];

export const fileOf = ({ name }: ContenderInfo): URL => new URL(name + extname(import.meta.url), import.meta.url);

/** Returns why a contender cannot run a workload; undefined if it can. */
export function reasonMissing({ entry }: ContenderInfo, workload: Workload): string | undefined {
  const declared = workload[entry];
  if (declared === undefined) return 'its defaults are what makes small files here';
  return isMissing(declared) ? declared.missing : undefined;
}
