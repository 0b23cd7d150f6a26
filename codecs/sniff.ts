/**
 * Recognises the most common formats by their first bytes. recognise.ts recognises the others too. Main-thread safe: no
 * WebAssembly, bounded work, never throws.
 */
import { SIGNATURE_RANKS, type Signature } from './formats/format.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat } from './formats/registry.ts';
import type { Matcher } from './signature.ts';

type SignatureEntry = readonly [format: InputFormat, matches: Matcher];

const withRank = (wanted: Signature['rank']): SignatureEntry[] =>
  INPUT_FORMATS.flatMap((id): SignatureEntry[] => {
    const { signature } = FORMATS[id];
    return signature?.rank === wanted ? [[id, signature.matches]] : [];
  });

const [COMMON_RANK, ...OTHER_RANKS] = SIGNATURE_RANKS;
const COMMON = withRank(COMMON_RANK);
const OTHERS = OTHER_RANKS.flatMap(withRank);

/**
 * Recognises a common format.
 * @returns undefined for any other bytes
 */
export const sniff = (bytes: Uint8Array): InputFormat | undefined => COMMON.find(([, matches]) => matches(bytes))?.[0];

/** Recognises any format that has a signature. */
export const recogniseBySignature = (bytes: Uint8Array): InputFormat | undefined =>
  sniff(bytes) ?? OTHERS.find(([, matches]) => matches(bytes))?.[0];

/** Whether the bytes have the signature of a format. */
export const hasSignature = (bytes: Uint8Array, format: InputFormat): boolean =>
  FORMATS[format].signature?.matches(bytes) ?? false;
