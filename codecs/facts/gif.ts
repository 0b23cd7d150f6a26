/** The facts of GIF files (GIF89a). */
import { Reader } from '../metadata/bytes.ts';
import { tolerate } from '../metadata/damage.ts';
import { type Block, blocksOf, read } from '../metadata/gif.ts';
import { guessText } from '../tags/plain.ts';
import type { FileFacts } from './facts.ts';

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const COMMENT = 0xfe;
const CONTENT_CREDENTIALS = 'C2PA_GIF';
/** Of the picture in front of any comment. */
const MAX_COMMENT_PIECES = 64;

/** Bit 7: there is a table; the lowest three: its size. */
function tableOf(packed: number): { colors: number; bits: number } | undefined {
  if ((packed & 0x80) === 0) return undefined;
  const bits = (packed & 7) + 1;
  return { colors: 2 ** bits, bits };
}

export function gifFacts(bytes: Uint8Array): FileFacts {
  const facts: FileFacts = { blocks: read(bytes), coding: { lossless: true, compression: 'lzw' }, c2pa: false };
  return tolerate(facts, () => {
    const reader = new Reader(bytes, 'gif', true);
    let table = tableOf(reader.u8(10));
    let pictures = 0;
    for (const block of blocksOf(bytes)) {
      const introducer = block.start === 0 ? 0 : reader.u8(block.start);
      if (introducer === IMAGE) {
        pictures += 1;
        const packed = reader.u8(block.start + 9);
        if (pictures > 1) continue;
        // The first picture may bring the only table there is.
        table ??= tableOf(packed);
        facts.coding = { ...facts.coding, progressive: (packed & 0x40) !== 0 };
        facts.colour = {
          model: 'rgb',
          hdr: false,
          ...(table ? { bitDepth: table.bits, paletteColors: table.colors } : {}),
        };
      } else if (introducer === EXTENSION && reader.u8(block.start + 1) === COMMENT) {
        facts.comment ??= commentOf(reader, block);
      } else if (block.application.startsWith(CONTENT_CREDENTIALS)) facts.c2pa = true;
    }
  });
}

function commentOf(reader: Reader, { start, end }: Block): string {
  const pieces: Uint8Array[] = [];
  for (let at = start + 2; at < end - 1 && pieces.length < MAX_COMMENT_PIECES; at += reader.u8(at) + 1) {
    pieces.push(reader.slice(at + 1, reader.u8(at)));
  }
  return guessText(Buffer.concat(pieces));
}
