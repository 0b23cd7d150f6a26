/**
 * Matches addresses against path patterns from the settings of a scan or from a request. Patterns and addresses may be
 * slow together, so a worker matches them within a time limit.
 */

import type { PathList, TaskInput, TaskResult } from '../../engine/task.ts';
import type { Owner } from '../../engine/ticket.ts';
import type { SiteServices } from './services.ts';

/** Runs the task. Always in the background, even for a waiting client, so that nobody else waits for it. */
export type MatchPaths = (input: TaskInput<'match-paths'>) => Promise<TaskResult<'match-paths'>>;

/** Matches for a request whose client waits. */
export function matchForRequest(
  { engine }: Pick<SiteServices, 'engine'>,
  signal: AbortSignal,
  owner?: Owner,
): MatchPaths {
  return (input) => engine.run('match-paths', input, { lane: 'background', signal, ...(owner && { owner }) });
}

interface PagePatterns {
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

export const pageLists = ({ include = [], exclude = [] }: PagePatterns): [include: PathList, exclude: PathList] => [
  { patterns: include, param: 'include' },
  { patterns: exclude, param: 'exclude' },
];

/**
 * The page addresses that the patterns exclude: those that `exclude` matches, and those that a non-empty `include` does
 * not match.
 * @throws Failure `invalid_parameter` for invalid patterns, `processing_timeout` for patterns that take too long
 */
export async function excludedBy(
  patterns: PagePatterns,
  urls: readonly string[],
  match: MatchPaths,
): Promise<ReadonlySet<string>> {
  const [included, excluded] = await matchedBy(pageLists(patterns), urls, match);
  return (patterns.include ?? []).length === 0
    ? excluded!
    : new Set(urls.filter((url) => !included!.has(url) || excluded!.has(url)));
}

/**
 * For each list, the addresses that it matches.
 * @throws Failure as {@link excludedBy}
 */
export async function matchedBy(
  lists: readonly PathList[],
  urls: readonly string[],
  match: MatchPaths,
): Promise<ReadonlySet<string>[]> {
  if (urls.length === 0 || lists.every(({ patterns }) => patterns.length === 0)) return lists.map(() => new Set());
  const { matched } = await match({ lists, urls });
  return matched.map((each) => new Set(each));
}

/**
 * Checks patterns.
 * @throws Failure `invalid_parameter` for invalid patterns or for patterns that are too long together
 */
export async function checkPatterns(lists: readonly PathList[], match: MatchPaths): Promise<void> {
  const sent = lists.filter(({ patterns }) => patterns.length > 0);
  if (sent.length > 0) await match({ lists: sent, urls: [] });
}
