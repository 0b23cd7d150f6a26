/** Formats recognised text for a terminal. */
import { printable } from '../../../base/printable.ts';
import type { Recognised } from './record.ts';

export function ocrText({ text }: Recognised): string {
  const lines = text.replace(/\n+$/, '').split('\n').map(printable);
  return `${lines.join('\n')}\n`;
}
