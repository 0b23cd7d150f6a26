/** Facts of JPEG XL files. */

import { type CodePoints, UNSPECIFIED } from '../../code-points.ts';
import type { FileFacts } from '../../facts/facts.ts';
import { hasContentCredentials } from '../../facts/isobmff.ts';
import { Reader } from '../../metadata/bytes.ts';
import { collectUntilDamage, tryParse } from '../../metadata/damage.ts';
import { presentBoxes } from '../../metadata/isobmff.ts';
import { isHighDynamicRange, type ProfileSpace, spaceOfCicp } from '../../tags/icc.ts';
import { headerOf, isCodestream } from './codestream.ts';
import { CHANNEL, type JxlHeader } from './header.ts';
import { read } from './metadata.ts';

/** JPEG XL has its own number for P3's primaries, and a separate white point. */
const P3 = { jxl: 11, cicp: 12 };

/** Returns those of PQ and HLG. Of all other spaces the decoder makes a profile. */
export function jxlCodePoints(bytes: Uint8Array): CodePoints | undefined {
  const header = tryParse(() => headerOf(bytes));
  if (header?.transfer === undefined || header.hasProfile || !isHighDynamicRange(header.transfer)) return undefined;
  return { primaries: primariesOf(header.primaries), transfer: header.transfer };
}

const primariesOf = (primaries = UNSPECIFIED): number => (primaries === P3.jxl ? P3.cicp : primaries);

export function jxlFacts(bytes: Uint8Array): FileFacts {
  const facts: FileFacts = { blocks: read(bytes), c2pa: false };
  return collectUntilDamage(facts, () => {
    if (!isCodestream(bytes)) {
      const reader = new Reader(bytes, 'jxl');
      facts.c2pa = hasContentCredentials(reader, presentBoxes(reader));
    }
    const header = headerOf(bytes);
    const { gray, hasAlpha, bitDepth, floating, transfer, xyb, modular, hasProfile } = header;
    const hasBlack = header.extraChannels.some(({ type }) => type === CHANNEL.black);
    const space = spaceOf(header);
    facts.colour = {
      model: hasBlack ? 'cmyk' : gray ? 'gray' : 'rgb',
      channels: (gray ? 1 : 3) + (hasBlack ? 1 : 0) + (hasAlpha ? 1 : 0),
      bitDepth,
      ...(space ? { space } : {}),
      profileInside: hasProfile,
      hdr: (floating && !gray) || (transfer !== undefined && isHighDynamicRange(transfer)),
    };
    facts.coding = {
      ...(xyb ? { lossless: false } : modular === undefined ? {} : { lossless: modular }),
      ...(modular === undefined ? {} : { compression: modular ? 'modular' : 'vardct' }),
    };
    facts.stored = { size: { width: header.width, height: header.height }, orientation: header.orientation };
  });
}

/** Returns undefined when only the profile describes the colour space. */
function spaceOf({ primaries, transfer, hasProfile }: JxlHeader): ProfileSpace | undefined {
  if (hasProfile) return undefined;
  if (primaries === undefined || transfer === undefined) return 'unknown';
  return spaceOfCicp({ primaries: primariesOf(primaries), transfer });
}
