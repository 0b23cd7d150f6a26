import { EIGHT_BIT_DEPTH, type Format, NO_METADATA } from '../format.ts';
import { readIconDirectory, readIconImages } from './directory.ts';

export const ico = {
  name: 'Windows icon',
  extensions: ['ico', 'cur'],
  contentTypes: ['image/vnd.microsoft.icon', 'image/x-icon'],
  alpha: true,
  pages: true,
  note: 'page 1 is the largest icon',
  web: { kind: 'icon', everywhere: true },
  signature: { rank: 'common', matches: (bytes) => readIconDirectory(bytes) !== undefined },
  readSize: (bytes) => readIconImages(bytes)[0],
  output: {
    lossless: true,
    lossy: false,
    alpha: true,
    animation: 'none',
    depth: EIGHT_BIT_DEPTH,
    holds: NO_METADATA,
    usuallyLossless: true,
    icon: true,
  },
} as const satisfies Format;
