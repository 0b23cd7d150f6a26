/** Reads and writes areas in the API's format: x,y,width,height in whole pixels, separated by semicolons. */
import type { Box } from '../../../ui/image.ts';

export function formatArea({ x, y, width, height }: Box): string {
  const [left, top] = [Math.max(0, Math.round(x)), Math.max(0, Math.round(y))];
  return [left, top, Math.max(1, Math.round(width)), Math.max(1, Math.round(height))].join(',');
}

export function parseArea(text: unknown): Box | undefined {
  const [x, y, width, height, ...more] = String(text ?? '')
    .split(',')
    .map(Number);
  const isArea = [x, y, width, height].every(Number.isInteger) && more.length === 0;
  return isArea ? { x: x!, y: y!, width: width!, height: height! } : undefined;
}

export const formatAreas = (boxes: readonly Box[]): string => boxes.map(formatArea).join(';');

export const parseAreas = (text: unknown): Box[] =>
  String(text ?? '')
    .split(';')
    .flatMap((part) => parseArea(part) ?? []);
