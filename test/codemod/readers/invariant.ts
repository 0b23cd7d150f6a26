import assert from 'node:assert/strict';
import type { Candidate } from '../../../codemod/readers/candidate.ts';
import { readCandidates } from '../../../codemod/readers/read.ts';
import { isSelected } from '../../support/thorough.ts';

/** Image addresses with characters that some places can hold only when encoded. */
export const ADDRESSES: readonly string[] = [
  '/images/new-1.webp',
  "it's here.webp",
  '/a,b.webp',
  ',a.webp',
  '/a(b)[c].webp',
  'a&amp;b&c=d.webp',
  '@/x.webp',
  '~/x;y=z.webp',
  '/čšž/😀.webp',
  '/a%20b.webp',
  'https://example.org/a.webp?x=1&y=2#z',
  '/back\\slash.webp',
  '/quote".webp',
  '/line\nbreak.webp',
  '/-->/*.webp',
  '/$a$`b`.webp',
  '/</script>.webp',
];

/** Decodes percent-encoded ASCII characters, so that different spellings of an address are equal. */
function sameAddress(address: string): string {
  return address.replace(/%([\da-f]{2})/gi, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code < 0x80 ? String.fromCharCode(code) : whole;
  });
}

function describeCandidates(candidates: readonly Candidate[]): string[] {
  return candidates.map(({ address, kind, reason }) => `${kind} ${reason ?? ''} ${sameAddress(address)}`);
}

/**
 * Asserts that each place can be given another address and that nothing else changes.
 * @param every tries every nth address at each place, and at the next place the next ones
 * @returns the number of places
 */
export function assertEditable(path: string, text: string, addresses = ADDRESSES, every = 1): number {
  const candidates = readCandidates(path, text);
  let last = 0;
  for (const { start, end, raw } of candidates) {
    assert.ok(start >= last && end > start, `${start} to ${end} after ${last}`);
    assert.equal(text.slice(start, end), raw);
    last = end;
  }
  const before = describeCandidates(candidates);
  for (const [index, candidate] of candidates.entries()) {
    if (candidate.reason === 'dynamic') continue;
    const same = candidate.encode(candidate.address);
    assert.deepEqual(
      describeCandidates(readCandidates(path, applyEdit(text, candidate, same))),
      before,
      `${candidate.raw} as ${same}`,
    );
    for (const address of addresses.filter((_, way) => isSelected(index, way, every))) {
      const written = candidate.encode(address);
      const after = describeCandidates(readCandidates(path, applyEdit(text, candidate, written)));
      const wanted = before.with(index, `${candidate.kind} ${candidate.reason ?? ''} ${sameAddress(address)}`);
      assert.deepEqual(after, wanted, `${candidate.kind} ${candidate.raw} as ${written}`);
    }
  }
  return candidates.length;
}

function applyEdit(text: string, { start, end }: Candidate, written: string): string {
  return text.slice(0, start) + written + text.slice(end);
}
