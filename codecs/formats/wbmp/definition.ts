import type { Format } from '../format.ts';

export const wbmp = {
  name: 'Wireless bitmap',
  extensions: ['wbmp'],
  contentTypes: ['image/vnd.wap.wbmp'],
  named: true,
} as const satisfies Format;
