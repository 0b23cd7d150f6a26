import type { Format } from '../format.ts';

export const wal = {
  name: 'Quake 2 texture',
  extensions: ['wal'],
  contentTypes: ['image/x-wal'],
  named: true,
} as const satisfies Format;
