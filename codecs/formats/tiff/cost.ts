import { tryParse } from '../../metadata/damage.ts';
import type { DecodingCost } from '../format.ts';
import { readTiffLayout } from './layout.ts';

export function estimateCost(bytes: Uint8Array, page: number): DecodingCost {
  const layout = tryParse(() => readTiffLayout(bytes, page));
  return layout ? { size: layout, decoderBytes: layout.heldPixels * layout.bytesPerPixel } : {};
}
