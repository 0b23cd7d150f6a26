/** Runs `match-paths` in the worker: matches patterns against addresses. Both may come from strangers. */
import type { WorkerContext } from '../../context.ts';
import type { PathList, TaskInput, TaskResult } from '../../task.ts';
import { slowPatterns } from '../errors.ts';
import { type PathPatterns, parsePatterns } from './patterns.ts';

/** Time limit for all addresses of a task. Ten thousand addresses take 1 s with typical patterns. */
const TIME_LIMIT_MS = 10_000;

/** A scan uses the same lists for page after page, and compiling them takes longer than matching. */
const MAX_CACHED = 4;
const cache = new Map<string, PathPatterns>();

/**
 * @throws Failure 400 `invalid_parameter` for invalid patterns; 504 `processing_timeout` for patterns that take too
 * long
 */
export async function runMatchPaths(
  _context: WorkerContext,
  { lists, urls }: TaskInput<'match-paths'>,
): Promise<TaskResult<'match-paths'>> {
  const deadline = performance.now() + TIME_LIMIT_MS;
  const matched = lists.map(compiled).map((patterns, index) =>
    urls.filter((url) => {
      if (performance.now() > deadline) throw slowPatterns(lists[index]!.param, TIME_LIMIT_MS);
      return patterns.matches(url);
    }),
  );
  return { matched };
}

function compiled({ patterns, param }: PathList): PathPatterns {
  const key = JSON.stringify(patterns);
  const present = cache.get(key) ?? parsePatterns(patterns, param);
  // Move it to the end: the first entry is the least recently used.
  cache.delete(key);
  cache.set(key, present);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
  return present;
}
