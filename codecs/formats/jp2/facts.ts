/** Facts of JPEG 2000 files and codestreams (ISO/IEC 15444-1, annexes A and I). */

import type { ColourFacts, FileFacts } from '../../facts/facts.ts';
import { hasContentCredentials } from '../../facts/isobmff.ts';
import { subsamplingOf } from '../../facts/jpeg-frame.ts';
import { Reader } from '../../metadata/bytes.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { contentOf } from '../../metadata/isobmff.ts';
import { fileBoxes, headerBoxes, read } from '../../metadata/jp2.ts';
import { isHighDynamicRange, type ProfileSpace, spaceOfCicp } from '../../tags/icc.ts';
import { guessText } from '../../tags/plain.ts';

const SIZ = 0xff51;
const COD = 0xff52;
const COM = 0xff64;
const SOT = 0xff90;
const MAX_SEGMENTS = 1000;
/** Irreversible and reversible wavelet (table A.20). */
const WAVELETS = ['wavelet_9_7', 'wavelet_5_3'] as const;

const ENUMERATED = 1;
const CODE_POINTS = 5;
/** Enumerated colour spaces (table I.10; 15444-2, table M.25). */
const SPACES: Readonly<Record<number, { model: NonNullable<ColourFacts['model']>; space?: ProfileSpace }>> = {
  12: { model: 'cmyk' },
  14: { model: 'lab' },
  16: { model: 'rgb', space: 'srgb' },
  17: { model: 'gray' },
  18: { model: 'rgb', space: 'srgb' },
};

export function jp2Facts(bytes: Uint8Array): FileFacts {
  const facts: FileFacts = { blocks: read(bytes), colour: { hdr: false }, coding: {} };
  return collectUntilDamage(facts, () => {
    const reader = new Reader(bytes, 'jp2');
    const boxes = fileBoxes(reader);
    facts.c2pa = hasContentCredentials(reader, boxes);
    for (const { type, contentStart: at } of headerBoxes(reader, boxes)) {
      if (type === 'colr' && reader.u8(at) === ENUMERATED) Object.assign(facts.colour!, SPACES[reader.u32(at + 3)]);
      else if (type === 'colr' && reader.u8(at) === CODE_POINTS) {
        const cicp = { primaries: reader.u16(at + 3), transfer: reader.u16(at + 5) };
        Object.assign(facts.colour!, { space: spaceOfCicp(cicp), hdr: isHighDynamicRange(cicp.transfer) });
      } else if (type === 'pclr') facts.colour!.paletteColors = reader.u16(at);
    }
    const codestream = boxes.find(({ type }) => type === 'jp2c');
    readCodestream(codestream ? new Reader(contentOf(reader, codestream), 'jp2') : reader, facts);
  });
}

function readCodestream(reader: Reader, facts: FileFacts): void {
  let at = 2;
  for (let segment = 0; segment < MAX_SEGMENTS && reader.u16(at) !== SOT; segment += 1) {
    const marker = reader.u16(at);
    if (marker === SIZ) readSize(reader, at + 4, facts);
    else if (marker === COD) {
      const wavelet = WAVELETS[reader.u8(at + 13) as 0 | 1];
      // A reversible transform may still be truncated; the header does not show that.
      facts.coding = {
        ...facts.coding,
        ...(wavelet ? { compression: wavelet } : {}),
        ...(wavelet === WAVELETS[0] ? { lossless: false } : {}),
      };
    } else if (marker === COM && reader.u16(at + 4) === 1) {
      facts.comment ??= guessText(reader.slice(at + 6, reader.u16(at + 2) - 4));
    }
    at += 2 + reader.u16(at + 2);
  }
}

function readSize(reader: Reader, at: number, facts: FileFacts): void {
  const channels = reader.u16(at + 34);
  const component = (index: number) => at + 36 + 3 * index;
  facts.colour = {
    model: channels < 3 ? 'gray' : 'rgb',
    ...facts.colour,
    channels,
    bitDepth: (reader.u8(component(0)) & 127) + 1,
  };
  const chroma =
    channels < 3
      ? undefined
      : subsamplingOf(
          reader.u8(component(1) + 1) / reader.u8(component(0) + 1),
          reader.u8(component(1) + 2) / reader.u8(component(0) + 2),
        );
  if (chroma) facts.coding = { ...facts.coding, chromaSubsampling: chroma };
}
