/**
 * Runs `judge-sizes` in the worker: which displayed sizes of a page no style sheet can enlarge. The inputs come from
 * strangers, and comparing them may take long.
 */

import type { DocumentSizing } from '../../../web-documents/reading.ts';
import { SizingCascade, SizingIndex } from '../../../web-documents/sizing/cascade.ts';
import type { WorkerContext } from '../../context.ts';
import type { TaskInput, TaskResult } from '../../task.ts';

/** Most pages of a site link the same style sheets. */
const MAX_CACHED = 16;
/** Indexes by style sheet text, the most recently used last. */
const cache = new Map<string, SizingIndex>();

export async function runJudgeSizes(
  _context: WorkerContext,
  { page: pageText, stylesheets, places }: TaskInput<'judge-sizes'>,
): Promise<TaskResult<'judge-sizes'>> {
  const { page, ...own } = JSON.parse(pageText) as DocumentSizing;
  if (!page) return { certain: [] };
  const cascade = new SizingCascade(page, [new SizingIndex(own), ...stylesheets.map(indexOf)]);
  const certain = places.filter(({ element, width, height }) => cascade.isCertain(element, { width, height }));
  return { certain: certain.map(({ seq }) => seq) };
}

function indexOf(text: string): SizingIndex {
  const index = cache.get(text) ?? new SizingIndex(JSON.parse(text) as DocumentSizing);
  cache.delete(text);
  cache.set(text, index);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
  return index;
}
