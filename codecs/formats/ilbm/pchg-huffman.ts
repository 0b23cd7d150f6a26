/** Decodes the Huffman code of the PCHG chunk (S. Vigna, "The PCHG ILBM chunk", 1.2, section "Compression"). */
import { corruptImage } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';
import { NAME } from './header.ts';

const TREE_AT = 8;
const LEAF = 0x100;

/**
 * Expands the data. The tree is read from its last word. A 1 leads to the byte in the word or, when the word is
 * negative, to the word that many bytes back. A 0 leads to the previous word, which is a leaf when its bit 8 is set.
 * @param packed size of the tree, size of the data, tree, codes
 */
export function expandHuffman(packed: Uint8Array): Uint8Array {
  const reader = new Reader(packed, NAME);
  const words = reader.u32(0) >> 1;
  const codesAt = TREE_AT + words * 2;
  if (words < 1 || codesAt > packed.length) throw corruptImage(NAME, 'PCHG tree');
  const tree = Int16Array.from({ length: words }, (_, i) => reader.u16(TREE_AT + i * 2));
  // Each bit yields at most one byte, whatever the header declares.
  const data = new Uint8Array(Math.min(reader.u32(4), (packed.length - codesAt) * 8));

  let node = words - 1;
  let write = 0;
  for (let bit = codesAt * 8; bit < packed.length * 8 && write < data.length; bit++) {
    const one = ((packed[bit >> 3]! >> (7 - (bit & 7))) & 1) === 1;
    let leaf: boolean;
    if (one) {
      leaf = tree[node]! >= 0;
      if (!leaf) node += tree[node]! >> 1;
    } else {
      node--;
      leaf = node >= 0 && tree[node]! > 0 && (tree[node]! & LEAF) !== 0;
    }
    if (node < 0) throw corruptImage(NAME, 'PCHG code');
    if (leaf) {
      data[write++] = tree[node]! & 0xff;
      node = words - 1;
    }
  }
  return data.subarray(0, write);
}
