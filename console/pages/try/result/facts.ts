/** Lists the facts about a result as pairs of name and value. */
import { countText, durationText } from '../../../ui/format.ts';
import { formatText } from './labels.ts';
import type { ResultFacts } from './response.ts';

export type Line = readonly [name: string, value: string];

export function factLines(facts: ResultFacts): Line[] {
  const { format, width, height, durationMs, similarity, frames, faces, fingerprint } = facts;
  const lines: (Line | undefined)[] = [
    format === undefined ? undefined : ['Format', formatText(format)],
    width && height ? ['Size', `${countText(width)} × ${countText(height)}`] : undefined,
    durationMs === undefined ? undefined : ['Time', durationText(durationMs)],
    similarity === undefined ? undefined : ['Similarity', `${(similarity * 100).toFixed(2)}%`],
    frames === undefined ? undefined : ['Frames', countText(frames)],
    faces === undefined ? undefined : ['Areas covered', countText(faces)],
    fingerprint === undefined ? undefined : ['Fingerprint', fingerprint],
  ];
  return lines.filter((line) => line !== undefined);
}
