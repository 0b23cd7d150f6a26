import { type Format, MAGICK_WASM } from '../format.ts';
import { rawFacts } from './facts.ts';
import { read } from './metadata.ts';
import { isCameraRaw } from './recognise.ts';

export const raw = {
  name: 'Camera RAW',
  extensions: [
    'dng',
    'cr2',
    'cr3',
    'crw',
    'nef',
    'nrw',
    'arw',
    'srf',
    'sr2',
    'raf',
    'orf',
    'rw2',
    'rwl',
    'pef',
    'srw',
    'x3f',
    'erf',
    'kdc',
    'dcr',
    'mrw',
    'mef',
    'mos',
    'iiq',
    '3fr',
    'fff',
  ],
  contentTypes: ['image/x-adobe-dng', 'image/x-dcraw'],
  note: 'developed, or the embedded preview with the warning preview_used',
  signature: { rank: 'specific', matches: isCameraRaw },
  magick: { coder: 'DNG', partly: true },
  needs: [MAGICK_WASM],
  metadata: { read },
  readFacts: rawFacts,
} as const satisfies Format;
