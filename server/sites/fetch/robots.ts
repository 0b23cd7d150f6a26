/**
 * Reads robots.txt by RFC 9309. Written here because available parsers deviate from it: they end a group at a `Sitemap`
 * line, and do not match `%2A` with the character `*` or `%62` with `b`. With them, a file full of `*` would also block
 * the main thread for seconds.
 */
import { UpstreamError } from '../../../base/http-request.ts';

/** Bytes read of a file; the minimum that the RFC requires (section 2.5). */
export const ROBOTS_BYTES = 500 * 1024;
/** Maximum number of wildcards to match against every address. */
const MAX_WILDCARDS = 2000;

export interface Robots {
  /** @param path of an address with its query, as URL writes them */
  allows(path: string): boolean;
  /** Minimum milliseconds between two requests. */
  readonly crawlDelayMs: number;
  /** The values of the `Sitemap` lines. */
  readonly sitemaps: readonly string[];
  /** Approximate memory use, in characters. */
  readonly size: number;
}

interface Rule {
  allow: boolean;
  /** Length of the pattern in octets. */
  length: number;
  /** The texts between the wildcards. */
  parts: readonly string[];
  /** The pattern ends in `$`: nothing may follow the match. */
  anchored: boolean;
}

interface Group {
  rules: Rule[];
  crawlDelayMs: number;
}

/** The product token of a group; `*` for robots that have no group of their own. */
const AGENT = /^(?:[a-z_-]+|\*(?!\S))/i;

/**
 * Parses a robots.txt file for one robot.
 * @param token the robot's own product token
 * @throws UpstreamError when there are too many wildcards to match
 */
export function parseRobots(text: string, token: string): Robots {
  const named = token.toLowerCase();
  const groups = new Map<string, Group>();
  const sitemaps: string[] = [];
  // A set, so that each group is listed once however often it is named. Otherwise many agent lines followed by many
  // rules would take quadratic time.
  const current = new Set<Group>();
  let inAgents = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [key, value] = recordOf(line);
    switch (key) {
      case 'user-agent': {
        if (!inAgents) current.clear();
        inAgents = true;
        const agent = AGENT.exec(value)?.[0].toLowerCase();
        // Groups of other robots do not apply.
        if (agent === named || agent === '*') current.add(groupOf(groups, agent));
        break;
      }
      case 'allow':
      case 'disallow': {
        inAgents = false;
        // A rule with an empty path is ignored.
        if (value !== '') for (const { rules } of current) rules.push(ruleOf(value, key === 'allow'));
        break;
      }
      case 'crawl-delay': {
        inAgents = false;
        const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : 0;
        for (const group of current) group.crawlDelayMs = Math.max(group.crawlDelayMs, seconds * 1000);
        break;
      }
      // A Sitemap line belongs to no group and does not end one (section 2.2.4).
      case 'sitemap':
        if (value !== '') sitemaps.push(value);
    }
  }
  const { rules, crawlDelayMs } = groups.get(named) ?? groups.get('*') ?? { rules: [], crawlDelayMs: 0 };
  return {
    allows: decisionOf(rules),
    crawlDelayMs,
    sitemaps,
    size: [...rules.flatMap(({ parts }) => parts), ...sitemaps].reduce((sum, each) => sum + each.length, 0),
  };
}

/**
 * Makes the function that decides whether a path is allowed. The longest matching rule decides; of two rules of equal
 * length, the one that allows (section 2.2.2).
 * @throws UpstreamError when there are too many wildcards to match
 */
function decisionOf(rules: readonly Rule[]): Robots['allows'] {
  // Most rules are plain prefixes, which are looked up in a map. A file may have tens of thousands of rules, and every
  // address is checked.
  const beginnings = new Map<string, boolean>();
  const patterns: Rule[] = [];
  for (const rule of rules) {
    const [text = '', ...others] = rule.parts;
    if (others.length > 0 || rule.anchored || rule.length !== text.length) patterns.push(rule);
    else beginnings.set(text, rule.allow || beginnings.get(text) === true);
  }
  if (patterns.reduce((sum, { parts }) => sum + Math.max(1, parts.length - 1), 0) > MAX_WILDCARDS) {
    throw new UpstreamError(`one with more than ${MAX_WILDCARDS} wildcards`);
  }
  patterns.sort((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow));
  const lengths = [...new Set([...beginnings.keys()].map((text) => text.length))].sort((a, b) => b - a);
  return (path) => {
    const octets = canonical(path).replaceAll('*', '%2A').replaceAll('$', '%24');
    if (octets === '/robots.txt') return true;
    const length = lengths.find((each) => each <= octets.length && beginnings.has(octets.slice(0, each))) ?? -1;
    const beginning = length === -1 ? undefined : beginnings.get(octets.slice(0, length));
    const pattern = patterns.find((rule) => matches(rule, octets));
    if (!pattern || pattern.length < length) return beginning ?? true;
    return pattern.allow || (pattern.length === length && beginning === true);
  };
}

/**
 * Splits a line into name and value, without its comment. Uses no regular expression: one line may be the whole file.
 */
function recordOf(line: string): [key: string, value: string] {
  const [text = ''] = line.split('#', 1);
  const colon = text.indexOf(':');
  return [text.slice(0, Math.max(colon, 0)).trim().toLowerCase(), text.slice(colon + 1).trim()];
}

function groupOf(groups: Map<string, Group>, agent: string): Group {
  const group = groups.get(agent) ?? { rules: [], crawlDelayMs: 0 };
  groups.set(agent, group);
  return group;
}

function ruleOf(value: string, allow: boolean): Rule {
  const pattern = canonical(value);
  const anchored = pattern.endsWith('$');
  const path = pattern.slice(0, anchored ? -1 : undefined).replaceAll('$', '%24');
  return { allow, length: pattern.length, parts: path.replace(/\*+/g, '*').split('*'), anchored };
}

/**
 * Matches each part at its first position after the previous part. As only wildcards are in between, later positions
 * cannot match better.
 */
function matches({ parts, anchored }: Rule, path: string): boolean {
  const [first = '', ...others] = parts;
  if (!path.startsWith(first)) return false;
  const last = anchored ? others.pop() : undefined;
  let end = first.length;
  for (const part of others) {
    const start = path.indexOf(part, end);
    if (start === -1) return false;
    end = start + part.length;
  }
  if (!anchored) return true;
  return last === undefined ? end === path.length : path.endsWith(last) && path.length - last.length >= end;
}

/** A percent-encoded octet, or a character that must be percent-encoded in an address. */
const CODED = /%[0-9a-f]{2}|[^\x21-\x24\x26-\x7e]/giu;

/**
 * Normalizes the spelling of an address. Octets that are printable ASCII are written as characters (section 2.2.2),
 * except those with a meaning in patterns.
 */
function canonical(text: string): string {
  return text.replace(CODED, (unit) => {
    const octets = unit.length === 3 && unit.startsWith('%') ? Buffer.from(unit.slice(1), 'hex') : Buffer.from(unit);
    return Array.from(octets, (octet) => {
      const character = String.fromCharCode(octet);
      return /[!-~]/.test(character) && !'%*$#'.includes(character)
        ? character
        : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
    }).join('');
  });
}
