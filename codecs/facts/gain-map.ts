/** Reads what describes a gain map: Adobe's XMP (Gain Map 1.0, also of Ultra HDR), ISO 21496-1, and Apple's XMP. */
import { corruptImage } from '../errors.ts';
import { Reader } from '../metadata/bytes.ts';
import { tryParse } from '../metadata/damage.ts';
import type { GainMap } from '../metadata/gain-map.ts';
import { descriptionOf } from '../metadata/jpeg-gain-map.ts';
import { MetadataBudget, type MetadataObject } from '../tags/plain.ts';
import { readXmpTags } from '../tags/xmp-tags.ts';
import type { GainMapFacts, GainMapParameters } from './facts.ts';
import { frameOfJpeg } from './jpeg-frame.ts';

/** Describes the map of a JPEG file. Where it has several descriptions, that of ISO 21496-1 counts. */
export function jpegGainMapFacts({ standards, file }: GainMap): GainMapFacts {
  if (!file) return { standards };
  const { xmp, iso } = descriptionOf(file);
  const tags = xmp ? tagsOf(xmp) : {};
  const parameters = (iso && tryParse(() => isoParameters(iso))) ?? xmpParameters(tags);
  const headroom = xmp && appleHeadroom(xmp);
  const frame = frameOfJpeg(file);
  return {
    standards,
    ...(frame ? { width: frame.width, height: frame.height, channels: frame.components.length } : {}),
    bytes: file.length,
    ...(parameters ? { parameters } : {}),
    ...(headroom === undefined ? {} : { headroom }),
  };
}

const tagsOf = (xmp: Uint8Array): MetadataObject => readXmpTags(xmp, new MetadataBudget());

/** Returns the headroom that Apple's XMP of a gain map gives; undefined if it gives none, as of phones before iOS 17. */
export const appleHeadroom = (xmp: Uint8Array): number | undefined =>
  numberIn(tagsOf(xmp)['HDRGainMap:HDRGainMapHeadroom']);

/** Bits of the flags of ISO 21496-1. The second one is an extension that libultrahdr writes. */
const THREE_CHANNELS = 0x80;
const COMMON_DENOMINATOR = 0x08;

/**
 * Reads the metadata of ISO 21496-1: versions, flags, headrooms of the two renditions, and for each channel minimum,
 * maximum, gamma and the offsets of the renditions. All are fractions of 32-bit integers, of which gains and offsets
 * have a sign.
 * @throws Failure `corrupt_image` if it ends early
 */
export function isoParameters(iso: Uint8Array): GainMapParameters {
  const reader = new Reader(iso, 'gain map');
  const flags = reader.u8(4);
  let at = 5;
  const next = () => {
    at += 4;
    return reader.u32(at - 4);
  };
  const common = flags & COMMON_DENOMINATOR ? next() : undefined;
  const unsigned = () => next() / (common ?? next());
  const signed = () => (next() | 0) / (common ?? next());
  const [base, alternate] = [unsigned(), unsigned()];
  const channels = Array.from({ length: flags & THREE_CHANNELS ? 3 : 1 }, () => ({
    ...{ min: signed(), max: signed(), gamma: unsigned(), base: signed(), alternate: signed() },
  }));
  const isBaseHdr = base > alternate;
  const offsets = [channels.map((one) => one.base), channels.map((one) => one.alternate)] as const;
  const [offsetSdr, offsetHdr] = isBaseHdr ? [offsets[1], offsets[0]] : offsets;
  const parameters: GainMapParameters = {
    gainMin: channels.map(({ min }) => min),
    gainMax: channels.map(({ max }) => max),
    gamma: channels.map(({ gamma }) => gamma),
    ...{ offsetSdr, offsetHdr, isBaseHdr },
    capacityMin: Math.min(base, alternate),
    capacityMax: Math.max(base, alternate),
  };
  // A denominator may be zero.
  const isValid = Object.values(parameters)
    .flat()
    .every((value) => typeof value === 'boolean' || Number.isFinite(value));
  if (!isValid) throw corruptImage('gain map', 'no number');
  return parameters;
}

/** Offset that Adobe's specification gives as the default. */
const DEFAULT_OFFSET = 1 / 64;

/** Undefined if the two values without a default are missing. */
function xmpParameters(tags: MetadataObject): GainMapParameters | undefined {
  const numbers = (name: string) => [tags[`hdrgm:${name}`]].flat().flatMap((value) => numberIn(value) ?? []);
  const numbersOr = (name: string, missing: number) => (numbers(name).length > 0 ? numbers(name) : [missing]);
  const gainMax = numbers('GainMapMax');
  const [capacityMax] = numbers('HDRCapacityMax');
  if (gainMax.length === 0 || capacityMax === undefined) return undefined;
  return {
    gainMin: numbersOr('GainMapMin', 0),
    gainMax,
    gamma: numbersOr('Gamma', 1),
    offsetSdr: numbersOr('OffsetSDR', DEFAULT_OFFSET),
    offsetHdr: numbersOr('OffsetHDR', DEFAULT_OFFSET),
    capacityMin: numbers('HDRCapacityMin')[0] ?? 0,
    capacityMax,
    isBaseHdr: tags['hdrgm:BaseRenditionIsHDR'] === 'True',
  };
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
