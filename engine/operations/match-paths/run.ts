/** `match-paths` on the worker: what patterns, whoever wrote them, say of addresses, whoever wrote those. */
import type { WorkerContext } from '../../context.ts';
import type { PathList, TaskInput, TaskResult } from '../../task.ts';
import { slowPatterns } from '../errors.ts';
import { type PathPatterns, parsePatterns } from './patterns.ts';

/** For all addresses of a task; with patterns that people write ten thousand take a second. */
const MOST_MS = 10_000;

/** A scan asks for the same lists page after page, and to compile them takes longer than to match. */
const MOST_KEPT = 4;
const kept = new Map<string, PathPatterns>();

/**
 * @throws Failure 400 `invalid_parameter` for patterns that are none; 504 `processing_timeout` for those that take too long
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
  // Behind the others: the first is the one that was longest not asked for.
  kept.delete(key);
  kept.set(key, present);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
  return present;
}
