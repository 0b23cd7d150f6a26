import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';

/** Descriptors of elements with alpha: RGBA, ABGR (SMPTE 268M-2003, table 1). */
const DPX_DESCRIPTOR_AT = 800;
const DPX_ALPHA: readonly number[] = [51, 52];

export const dpx = {
  name: 'DPX',
  extensions: ['dpx'],
  contentTypes: ['image/x-dpx'],
  alpha: true,
  signature: { rank: 'exact', matches: any(at(0, 'SDPX'), at(0, 'XPDS')) },
  magick: { coder: 'DPX', alpha: (bytes) => DPX_ALPHA.includes(bytes[DPX_DESCRIPTOR_AT] ?? 0) },
} as const satisfies Format;
