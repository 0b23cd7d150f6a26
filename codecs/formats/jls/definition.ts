import { isJpegLs, readJpegFrame } from '../../jpeg-frame.ts';
import { startsWith } from '../../metadata/bytes.ts';
import type { Format } from '../format.ts';

export const jls = {
  name: 'JPEG-LS',
  extensions: ['jls'],
  contentTypes: ['image/jls'],
  coding: 'lossless',
  signature: { rank: 'common', matches: (bytes) => startsWith(bytes, '\xff\xd8\xff') && isJpegLs(bytes) },
  needs: ['@cornerstonejs/codec-charls'],
  readSize: readJpegFrame,
} as const satisfies Format;
