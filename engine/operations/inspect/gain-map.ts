/** The gain map of the image. */
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import type { InspectionRecord } from './record.ts';
import { firstNumber, makerNote, type TagSets } from './tags.ts';

type DescribedGainMap = NonNullable<InspectionRecord['gain_map']>;

export function describeGainMap({ gainMap }: FileFacts, tags: TagSets): InspectionRecord['gain_map'] {
  if (!gainMap) return null;
  const { standards, width, height, channels, bytes, parameters, headroom } = gainMap;
  const appleStops = headroom === undefined ? makerNoteStops(tags) : Math.log2(headroom);
  const isApple = standards.includes('apple');
  return {
    standards: [...standards],
    // A damaged file can give a size of 0.
    ...{ width: width || null, height: height || null, channels: channels || null, bytes: bytes ?? null },
    gain_min: list(parameters?.gainMin),
    gain_max: list(parameters?.gainMax),
    gamma: list(parameters?.gamma),
    offset_sdr: list(parameters?.offsetSdr),
    offset_hdr: list(parameters?.offsetHdr),
    hdr_capacity_min: rounded(parameters?.capacityMin ?? (isApple ? 0 : undefined)),
    hdr_capacity_max: rounded(parameters?.capacityMax ?? (isApple ? appleStops : undefined)),
    base_is_hdr: parameters?.isBaseHdr ?? (isApple ? false : null),
  };
}

/** Lines of stops over HDRGain, by HDRHeadroom. */
const APPLE_LINES = {
  low: { steep: [-20, 1.8], flat: [-0.101, 1.601] },
  // biome-ignore lint/suspicious/noApproximativeNumericConstant: not a logarithm
  high: { steep: [-70, 3], flat: [-0.303, 2.303] },
} as const;

/**
 * Computes the headroom of Apple's gain maps from two values of the maker note, as Apple's documentation does ("Applying
 * Apple HDR effect to your photos").
 */
function makerNoteStops(tags: TagSets): number | undefined {
  const notes = makerNote(tags);
  const [headroom, gain] = [firstNumber(notes, 'HDRHeadroom'), firstNumber(notes, 'HDRGain')];
  if (headroom === undefined || gain === undefined) return undefined;
  const [slope, start] = APPLE_LINES[headroom < 1 ? 'low' : 'high'][gain <= 0.01 ? 'steep' : 'flat'];
  return Math.max(0, slope * gain + start);
}

/** Millionths: ISO 21496-1 stores fractions. */
const DIGITS = 1e6;

const rounded = (value: number | undefined): DescribedGainMap['hdr_capacity_min'] =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * DIGITS) / DIGITS;

const list = (values: readonly number[] | undefined): number[] | null =>
  values?.map((value) => Math.round(value * DIGITS) / DIGITS) ?? null;
