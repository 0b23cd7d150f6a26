/**
 * Finds XMP in files whose structure need not be parsed: the packet is recognisable by its own markers (XMP part 1,
 * 7.3).
 */
import { bufferOf } from '../metadata/bytes.ts';
import type { FileFacts } from './facts.ts';

const MARKERS: readonly (readonly [start: string, end: string])[] = [
  ['<x:xmpmeta', '</x:xmpmeta>'],
  ['<rdf:RDF', '</rdf:RDF>'],
];

/** Returns the last uncompressed packet: a document saved several times has the older ones in front of it. */
export function packetFacts(bytes: Uint8Array): FileFacts {
  const buffer = bufferOf(bytes);
  for (const [opening, closing] of MARKERS) {
    const end = buffer.lastIndexOf(closing, undefined, 'latin1');
    const start = end === -1 ? -1 : buffer.lastIndexOf(opening, end, 'latin1');
    if (start !== -1) return { blocks: { xmp: bytes.slice(start, end + closing.length) } };
  }
  return { blocks: {} };
}
