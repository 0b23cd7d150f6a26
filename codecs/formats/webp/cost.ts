import { Reader } from '../../metadata/bytes.ts';
import { trySize } from '../../size.ts';
import type { DecodingCost } from '../format.ts';
import { MAX_WEBP_FRAMES, NAME, readSize, webpCanvasBytes } from './size.ts';

export function estimateCost(bytes: Uint8Array): DecodingCost {
  const size = trySize(() => readSize(new Reader(bytes, NAME, true)));
  if (!size) return {};
  return { size, decoderBytes: webpCanvasBytes(size), isRefused: (size.frames ?? 1) > MAX_WEBP_FRAMES };
}
