/** Facts of WebP files (RFC 9649). */

import type { FileFacts } from '../../facts/facts.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { type Chunk, chunksOf, frameChunks, read } from '../../metadata/webp.ts';

export function webpFacts(bytes: Uint8Array): FileFacts {
  const found = collectUntilDamage<{ coding?: 'VP8 ' | 'VP8L'; alpha: boolean; c2pa: boolean }>(
    { alpha: false, c2pa: false },
    (seen) => {
      const look = ({ name, data }: Chunk) => {
        if (name === 'VP8 ' || name === 'VP8L') seen.coding ??= name;
        if (name === 'ALPH' || (name === 'VP8L' && hasAlpha(data))) seen.alpha = true;
        if (name === 'C2PA') seen.c2pa = true;
      };
      for (const chunk of chunksOf(bytes)) {
        if (chunk.name === 'ANMF') for (const inner of frameChunks(chunk.data)) look(inner);
        else look(chunk);
      }
    },
  );
  const lossless = found.coding === 'VP8L';
  return {
    blocks: read(bytes),
    colour: { model: 'rgb', channels: found.alpha ? 4 : 3, bitDepth: 8, hdr: false },
    coding: found.coding
      ? {
          lossless,
          compression: lossless ? 'vp8l' : 'vp8',
          chromaSubsampling: lossless ? '4:4:4' : '4:2:0',
        }
      : {},
    c2pa: found.c2pa,
  };
}

/** Whether bit 28 of the header after the signature is set (RFC 9649, section 3.4). */
const hasAlpha = (data: Uint8Array): boolean => ((data[4] ?? 0) & 0x10) !== 0;
