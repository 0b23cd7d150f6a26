/** Which regional forms the characters shared by Chinese, Japanese and Korean get. */
import type { Region } from './fonts.ts';

/** The characters of a national standard: rows of two bytes in its encoding (WHATWG Encoding Standard). */
interface CharacterSet {
  encoding: string;
  firstBytes: readonly [number, number];
  secondBytes: readonly [number, number];
}

/** GB 2312, Big5, JIS X 0208 and KS X 1001: which characters are common in a region. */
const CHARACTER_SETS: Readonly<Record<Region, CharacterSet>> = {
  simplified: { encoding: 'gb18030', firstBytes: [0xb0, 0xf7], secondBytes: [0xa1, 0xfe] },
  traditional: { encoding: 'big5', firstBytes: [0xa4, 0xf9], secondBytes: [0x40, 0xfe] },
  japanese: { encoding: 'shift_jis', firstBytes: [0x88, 0xea], secondBytes: [0x40, 0xfc] },
  korean: { encoding: 'euc-kr', firstBytes: [0xca, 0xfd], secondBytes: [0xa1, 0xfe] },
};

/**
 * Guesses the region from the text. Kana, Hangul and Bopomofo decide; otherwise the first national standard that has all
 * Han characters of the text. 中文 is simplified, because both have it; 國 is traditional, 働 Japanese.
 */
export function regionOf(text: string): Region {
  if (/\p{Script=Hiragana}|\p{Script=Katakana}/u.test(text)) return 'japanese';
  if (/\p{Script=Hangul}/u.test(text)) return 'korean';
  if (/\p{Script=Bopomofo}/u.test(text)) return 'traditional';
  const characters = text.match(/\p{Script=Han}/gu) ?? [];
  const regions = Object.keys(CHARACTER_SETS) as Region[];
  return regions.find((region) => characters.every((character) => charactersOf(region).has(character))) ?? 'simplified';
}

const known = new Map<Region, ReadonlySet<string>>();

function charactersOf(region: Region): ReadonlySet<string> {
  const characters = known.get(region) ?? decodeAll(CHARACTER_SETS[region]);
  known.set(region, characters);
  return characters;
}

function decodeAll({ encoding, firstBytes, secondBytes }: CharacterSet): ReadonlySet<string> {
  const decoder = new TextDecoder(encoding);
  const characters = new Set<string>();
  for (let first = firstBytes[0]; first <= firstBytes[1]; first++) {
    for (let second = secondBytes[0]; second <= secondBytes[1]; second++) {
      characters.add(decoder.decode(Uint8Array.of(first, second)));
    }
  }
  return characters;
}
