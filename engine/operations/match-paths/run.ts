/** Runs `match-paths` in the worker: matches patterns against addresses. Both may come from strangers. */
import type { WorkerContext } from '../../context.ts';
import type { PathList, TaskInput, TaskResult } from '../../task.ts';
import { slowPatterns } from '../errors.ts';
import { type PathPatterns, parsePatterns } from './patterns.ts';

/** Time limit for all addresses of a task. Ten thousand addresses take 1 s with typical patterns. */
const MOST_MS = 10_000;

/** A scan uses the same lists for page after page, and compiling them takes longer than matching. */
const MOST_KEPT = 4;
const kept = new Map<string, PathPatterns>();

/**
 * @throws Failure 400 `invalid_parameter` for invalid patterns; 504 `processing_timeout` for patterns that take too
 * long
 */
export async function runMatchPaths(
  _context: WorkerContext,
  { lists, urls }: TaskInput<'match-paths'>,
): Promise<TaskResult<'match-paths'>> {
  const deadline = performance.now() + MOST_MS;
  const matched = lists.map(compiled).map((patterns, index) =>
    urls.filter((url) => {
      if (performance.now() > deadline) throw slowPatterns(lists[index]!.param, MOST_MS);
      return patterns.matches(url);
    }),
  );
  return { matched };
}

function compiled({ patterns, param }: PathList): PathPatterns {
  const key = JSON.stringify(patterns);
  const present = kept.get(key) ?? parsePatterns(patterns, param);
  // Move it to the end: the first entry is the least recently used.
  kept.delete(key);
  kept.set(key, present);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
  return present;
}
