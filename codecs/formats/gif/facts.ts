/** Facts of GIF files (GIF89a). */

import type { FileFacts } from '../../facts/facts.ts';
import { concat, Reader } from '../../metadata/bytes.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { guessText } from '../../tags/plain.ts';
import { type Block, describingBlocks, read } from './metadata.ts';

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const COMMENT = 0xfe;
const CONTENT_CREDENTIALS = 'C2PA_GIF';
/** Application name of the profile extension (ICC.1:2022, annex B.5). */
const ICC_PROFILE = 'ICCRGBG1012';
/** Bytes of introducer, label, name length and application name. */
const APPLICATION_HEADER = 14;
/** Sub-blocks of 255 bytes each: far more than any comment or profile worth reading. */
const MAX_SUB_BLOCKS = 20_000;

/** Reads a packed field: bit 7 says whether there is a table, the lowest three its size. */
function tableOf(packed: number): { colors: number; bits: number } | undefined {
  if ((packed & 0x80) === 0) return undefined;
  const bits = (packed & 7) + 1;
  return { colors: 2 ** bits, bits };
}

export function gifFacts(bytes: Uint8Array): FileFacts {
  const facts: FileFacts = { blocks: read(bytes), coding: { lossless: true, compression: 'lzw' }, c2pa: false };
  return collectUntilDamage(facts, () => {
    const reader = new Reader(bytes, 'gif', true);
    let table = tableOf(reader.u8(10));
    let images = 0;
    for (const block of describingBlocks(bytes)) {
      const introducer = block.start === 0 ? 0 : reader.u8(block.start);
      if (introducer === IMAGE) {
        images += 1;
        const packed = reader.u8(block.start + 9);
        if (images > 1) continue;
        // Without a global table, the table of the first image counts.
        table ??= tableOf(packed);
        facts.coding = { ...facts.coding, progressive: (packed & 0x40) !== 0 };
        facts.colour = {
          model: 'rgb',
          hdr: false,
          ...(table ? { bitDepth: table.bits, paletteColors: table.colors } : {}),
        };
      } else if (introducer === EXTENSION && reader.u8(block.start + 1) === COMMENT) {
        facts.comment ??= guessText(subBlocks(reader, block, block.start + 2));
      } else if (block.application === ICC_PROFILE) {
        facts.blocks.icc ??= subBlocks(reader, block, block.start + APPLICATION_HEADER);
      } else if (block.application.startsWith(CONTENT_CREDENTIALS)) facts.c2pa = true;
    }
  });
}

/** Joins the sub-blocks of a block. */
function subBlocks(reader: Reader, { end }: Block, from: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let at = from; at < end - 1 && pieces.length < MAX_SUB_BLOCKS; at += reader.u8(at) + 1) {
    pieces.push(reader.slice(at + 1, reader.u8(at)));
  }
  return concat(pieces);
}
