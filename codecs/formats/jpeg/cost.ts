import { isDeep, readJpegFrame } from '../../jpeg-frame.ts';
import { coefficientBytes, estimateJpegScans } from '../../jpeg-scans.ts';
import { tryParse } from '../../metadata/damage.ts';
import type { DecodingCost } from '../format.ts';

export function estimateCost(bytes: Uint8Array): DecodingCost {
  const { scans, holdsCoefficients } = estimateJpegScans(bytes);
  const frame = tryParse(() => readJpegFrame(bytes));
  if (!frame) return { scans, isRefused: scans === 0 };
  const { width, height, components } = frame;
  return {
    scans,
    isRefused: scans === 0,
    // JPEGs with more bits per sample are decoded as a whole, and not by libvips.
    streams: !isDeep(frame),
    decoderBytes: holdsCoefficients ? coefficientBytes(width * height, components) : 0,
  };
}
