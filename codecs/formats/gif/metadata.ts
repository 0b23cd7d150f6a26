/** Metadata of GIF files: comments and application extensions (GIF89a, sections 24 and 26). */
import { corruptImage } from '../../errors.ts';
import { appendRange, concat, type Range, Reader } from '../../metadata/bytes.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import type { Metadata } from '../../metadata/metadata.ts';

const TRAILER = 0x3b;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const LABEL = { plainText: 0x01, control: 0xf9, application: 0xff } as const;

/** Application names of the extension that says how often an animation plays. */
const LOOPS: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);
const XMP = 'XMP DataXMP';
/** Leads a reader of sub-blocks to the terminator from any byte of the packet (XMP part 3, section 1.1.2). */
const XMP_TRAILER = 257;

export interface Block extends Range {
  /** Whether the block is an image or applies to one. */
  image: boolean;
  application: string;
}

/**
 * Yields the header (with screen descriptor and global colour table), then the blocks up to the trailer.
 * @throws Failure `corrupt_image`
 */
function* blocksOf(bytes: Uint8Array): Generator<Block> {
  const reader = new Reader(bytes, 'gif');
  if (reader.text(0, 3) !== 'GIF') throw corruptImage('gif', 'no signature');
  const end = 13 + tableSize(reader.u8(10));
  reader.slice(0, end);
  yield { start: 0, end, image: true, application: '' };
  for (let at = end; ; ) {
    const start = at;
    const introducer = reader.u8(at);
    if (introducer === TRAILER) return;
    if (introducer === IMAGE) {
      at = subBlocksEnd(reader, at + 10 + tableSize(reader.u8(at + 9)) + 1);
      yield { start, end: at, image: true, application: '' };
    } else if (introducer === EXTENSION) {
      const label = reader.u8(at + 1);
      at = subBlocksEnd(reader, at + 2);
      const application = label === LABEL.application ? reader.text(start + 3, Math.min(11, reader.u8(start + 2))) : '';
      const image = label === LABEL.control || label === LABEL.plainText || LOOPS.has(application);
      yield { start, end: at, image, application };
    } else throw corruptImage('gif', `block ${introducer} at ${at}`);
  }
}

const tableSize = (packed: number): number => (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0);

function subBlocksEnd(reader: Reader, from: number): number {
  let at = from;
  for (let size = reader.u8(at); size > 0; size = reader.u8(at)) at += size + 1;
  return at + 1;
}

/** A block needs only three bytes. No real animation has so many. */
const MAX_BLOCKS = 250_000;

/** Yields the blocks up to the limit for metadata. @throws Failure `corrupt_image` where the file is cut or damaged */
export function* describingBlocks(bytes: Uint8Array): Generator<Block> {
  let left = MAX_BLOCKS;
  for (const block of blocksOf(bytes)) {
    if (left === 0) return;
    left -= 1;
    yield block;
  }
}

/** Whether a file is cut or damaged before its end. A file that lacks only the trailer counts as complete. */
export function endsEarly(bytes: Uint8Array): boolean {
  const seen = collectUntilDamage({ end: 0, trailer: false }, (found) => {
    for (const { end } of blocksOf(bytes)) found.end = end;
    found.trailer = true;
  });
  return !seen.trailer && seen.end < bytes.length;
}

/** Reads the XMP packet, the only block that GIF files can hold. */
export function read(bytes: Uint8Array): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    for (const { application, start, end } of describingBlocks(bytes)) {
      const packet = { start: start + 14, end: end - 1 - XMP_TRAILER };
      if (application === XMP && packet.end > packet.start) metadata.xmp = bytes.slice(packet.start, packet.end);
    }
  });
}

/**
 * Removes all metadata. A truncated file keeps its complete blocks.
 * @throws Failure `corrupt_image` when it is not a GIF
 */
export function write(bytes: Uint8Array): Uint8Array {
  const kept = collectUntilDamage<Range[]>([], (ranges) => {
    for (const block of blocksOf(bytes)) if (block.image) appendRange(ranges, block);
  });
  if (kept.length === 0) throw corruptImage('gif', 'no header');
  return concat([{ bytes, ranges: kept }, Uint8Array.of(TRAILER)]);
}
