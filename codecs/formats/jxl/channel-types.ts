/**
 * Declares extra channels of a JPEG XL file as channels of another type. Decoders return colour and alpha only, so that a
 * channel of another type is read as the alpha of a changed file. Its samples are coded in the same way.
 */
import { concat } from '../../metadata/bytes.ts';
import { CHANNEL, type ExtraChannel, type JxlHeader, readJxlHeader } from './header.ts';

type BitList = readonly number[];

/** @param value its lowest bit comes first */
const bitsOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, bit) => (value >> bit) & 1);

const zeros = (count: number): number[] => Array(count).fill(0);

/**
 * The field after the header must stay at its place in a byte, because the decoder aligns to bytes behind it. An intrinsic
 * size is a hint for pages, which no decoder of pixels uses; its encodings have all lengths that are needed.
 */
const SIDE_BITS = [9, 13, 18, 30] as const;
const SIDES: readonly BitList[] = SIDE_BITS.map((bits, selector) => [...bitsOf(selector, 2), ...zeros(bits)]);
const SQUARE = bitsOf(1, 3);
const NO_RATIO = zeros(3);
const INTRINSIC_SIZES: readonly BitList[] = [
  [0],
  [1, 1, ...zeros(5), ...SQUARE],
  [1, 1, ...zeros(5), ...NO_RATIO, ...zeros(5)],
  ...SIDES.map((side) => [1, 0, ...side, ...SQUARE]),
  ...SIDES.flatMap((side) => SIDES.map((other) => [1, 0, ...side, ...NO_RATIO, ...other])),
];
/** A name of no letters has two encodings. */
const NO_NAMES: readonly BitList[] = [zeros(2), [...bitsOf(1, 2), ...zeros(4)]];

/** Types that can be written, and their encodings. */
const TYPE_BITS = { [CHANNEL.alpha]: zeros(2), [CHANNEL.depth]: bitsOf(1, 2) } as const;
export type WrittenType = keyof typeof TYPE_BITS;

/** 8 bits, no fraction, as large as the image. */
const DEFAULT_SAMPLES = zeros(5);

/**
 * Returns a codestream with other types of extra channels.
 * @param types by the place of the channel
 * @throws Failure `corrupt_image`
 */
export function withChannelTypes(codestream: Uint8Array, types: ReadonlyMap<number, WrittenType>): Uint8Array {
  const header = readJxlHeader(codestream);
  if (!header.fields) return codestream;
  const end = header.fields.toneMappingAt;
  for (const size of header.fields.hasIntrinsicSize ? [[]] : INTRINSIC_SIZES) {
    for (const noName of NO_NAMES) {
      const bits = headerBits(codestream, header, types, { size, noName });
      if (bits.length % 8 === end % 8) return withHeader(codestream, bits, end);
    }
  }
  return codestream;
}

interface Padding {
  size: BitList;
  noName: BitList;
}

function headerBits(
  codestream: Uint8Array,
  { fields, extraChannels }: JxlHeader,
  types: ReadonlyMap<number, WrittenType>,
  { size, noName }: Padding,
): number[] {
  const { extraFieldsAt, hasExtraFields, hasIntrinsicSize, toneMappingAt } = fields!;
  const copy = (at: number, end: number) =>
    Array.from({ length: end - at }, (_, bit) => (codestream[(at + bit) >> 3]! >> ((at + bit) & 7)) & 1);
  const channels = extraChannels.flatMap((channel, place) => {
    const type = types.get(place);
    return type === undefined ? copy(channel.at, channel.end) : channelBits(channel, type, copy, noName);
  });
  const [first, last] = [extraChannels[0]!, extraChannels.at(-1)!];
  // The flag and the orientation.
  const oriented = extraFieldsAt + 4;
  const extraFields = hasExtraFields
    ? [...copy(extraFieldsAt, oriented), ...size, ...copy(hasIntrinsicSize ? oriented : oriented + 1, first.at)]
    : // Upright, without preview and animation.
      [1, ...zeros(3), ...size, 0, 0, ...copy(extraFieldsAt + 1, first.at)];
  // The default tone mapping.
  const toneMapping = hasExtraFields ? [] : [1];
  return [...copy(0, extraFieldsAt), ...extraFields, ...channels, ...copy(last.end, toneMappingAt), ...toneMapping];
}

function channelBits(
  { samples }: ExtraChannel,
  type: WrittenType,
  copy: (at: number, end: number) => number[],
  noName: BitList,
): number[] {
  return [
    0,
    ...TYPE_BITS[type],
    ...(samples ? copy(samples.at, samples.end) : DEFAULT_SAMPLES),
    ...noName,
    // Not premultiplied.
    ...(type === CHANNEL.alpha ? [0] : []),
  ];
}

/** Replaces the bits before `end`, of which the new ones leave the same number in the last byte. */
function withHeader(codestream: Uint8Array, bits: readonly number[], end: number): Uint8Array {
  const shared = codestream[end >> 3]!;
  const whole = [...bits, ...bitsOf(shared >> (end & 7), 8 - (end & 7))];
  const head = new Uint8Array(whole.length / 8);
  for (const [at, bit] of whole.entries()) head[at >> 3]! |= bit << (at & 7);
  return concat([head, codestream.subarray((end >> 3) + 1)]);
}
