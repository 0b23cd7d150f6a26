/** Facts of JPEG XL files. */

import type { FileFacts } from '../../facts/facts.ts';
import { hasContentCredentials } from '../../facts/isobmff.ts';
import { Reader, startsWith } from '../../metadata/bytes.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { contentOf, presentBoxes } from '../../metadata/isobmff.ts';
import { isHighDynamicRange, type ProfileSpace, spaceOfCicp } from '../../tags/icc.ts';
import { type JxlHeader, readJxlHeader } from './header.ts';
import { read } from './metadata.ts';

const CODESTREAM = '\xff\x0a';
/** JPEG XL has its own number for P3's primaries, and a separate white point. */
const P3 = { jxl: 11, cicp: 12 };

export function jxlFacts(bytes: Uint8Array): FileFacts {
  const facts: FileFacts = { blocks: read(bytes), c2pa: false };
  return collectUntilDamage(facts, () => {
    const reader = new Reader(bytes, 'jxl');
    let codestream = bytes;
    if (!startsWith(bytes, CODESTREAM)) {
      const boxes = presentBoxes(reader);
      facts.c2pa = hasContentCredentials(reader, boxes);
      const whole = boxes.find(({ type }) => type === 'jxlc');
      const part = boxes.find(({ type }) => type === 'jxlp');
      if (whole) codestream = contentOf(reader, whole);
      // Parts start with their number.
      else if (part) codestream = contentOf(reader, part).subarray(4);
      else return;
    }
    const header = readJxlHeader(codestream);
    const { gray, hasAlpha, bitDepth, floating, transfer, xyb, modular, hasProfile } = header;
    const space = spaceOf(header);
    facts.colour = {
      model: gray ? 'gray' : 'rgb',
      channels: (gray ? 1 : 3) + (hasAlpha ? 1 : 0),
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
  return spaceOfCicp({ primaries: primaries === P3.jxl ? P3.cicp : primaries, transfer });
}
