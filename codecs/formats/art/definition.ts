import type { Format } from '../format.ts';

export const art = {
  name: 'PFS first publisher',
  extensions: ['art'],
  contentTypes: ['image/x-art'],
  named: true,
} as const satisfies Format;
