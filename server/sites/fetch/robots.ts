/**
 * Reads robots.txt by RFC 9309. Written here because the parsers at hand differ from it: their groups end at a `Sitemap`
 * line, `%2A` is not the letter `*`, `%62` is not `b`; and a file full of `*` would hold the main thread for seconds.
 */
import { AnswerFault } from '../../http/exchange.ts';

/** What is read of a file; the RFC asks for no less (section 2.5). */
export const ROBOTS_BYTES = 500 * 1024;
/** Wildcards that are looked for in every address. */
const MOST_WILDCARDS = 2000;

export interface Robots {
  /** @param path of an address with its query, as URL writes them */
  allows(path: string): boolean;
  /** Milliseconds between two requests. */
  readonly crawlDelayMs: number;
  /** The values of its `Sitemap` lines. */
  readonly sitemaps: readonly string[];
  /** Roughly what it takes in memory, in characters. */
  readonly size: number;
}

interface Rule {
  allow: boolean;
  /** Of the pattern, in octets. */
  length: number;
  /** The texts between the wildcards. */
  parts: readonly string[];
  /** Ends in `$`: nothing may follow. */
  anchored: boolean;
}

interface Group {
  rules: Rule[];
  crawlDelayMs: number;
}

/** The product token that a group is named after; `*` for all that have no group of their own. */
const AGENT = /^(?:[a-z_-]+|\*(?!\S))/i;

/**
 * @param token the own product token
 * @throws AnswerFault when its patterns are too many to be looked for
 */
export function parseRobots(text: string, token: string): Robots {
  const named = token.toLowerCase();
  const groups = new Map<string, Group>();
  const sitemaps: string[] = [];
  // Each once, however often it is named: a file of agents alone followed by rules alone would be squared.
  const current = new Set<Group>();
  let inAgents = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [key, value] = recordOf(line);
    switch (key) {
      case 'user-agent': {
        if (!inAgents) current.clear();
        inAgents = true;
        const agent = AGENT.exec(value)?.[0].toLowerCase();
        // The groups of other robots are none of ours.
        if (agent === named || agent === '*') current.add(groupOf(groups, agent));
        break;
      }
      case 'allow':
      case 'disallow': {
        inAgents = false;
        // Without a path it says that nothing is meant.
        if (value !== '') for (const { rules } of current) rules.push(ruleOf(value, key === 'allow'));
        break;
      }
      case 'crawl-delay': {
        inAgents = false;
        const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : 0;
        for (const group of current) group.crawlDelayMs = Math.max(group.crawlDelayMs, seconds * 1000);
        break;
      }
      // No part of a group, and no end of one (section 2.2.4).
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
 * What the rules say of a path: the longest that matches decides, of two equal ones that which allows (section 2.2.2).
 * @throws AnswerFault when the patterns are too many to be looked for
 */
function decisionOf(rules: readonly Rule[]): Robots['allows'] {
  // Most rules are plain beginnings, which are looked up: a file may have tens of thousands, and every address is asked about.
  const beginnings = new Map<string, boolean>();
  const patterns: Rule[] = [];
  for (const rule of rules) {
    const [text = '', ...others] = rule.parts;
    if (others.length > 0 || rule.anchored || rule.length !== text.length) patterns.push(rule);
    else beginnings.set(text, rule.allow || beginnings.get(text) === true);
  }
  if (patterns.reduce((sum, { parts }) => sum + Math.max(1, parts.length - 1), 0) > MOST_WILDCARDS) {
    throw new AnswerFault(`one with more than ${MOST_WILDCARDS} wildcards`);
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

/** Name and value of a line, without its comment. No pattern: one line may be all of a file. */
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

/** Each part is found at its first place after the one before: with nothing but wildcards between, no other does better. */
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

/** A triplet, or a character that may not stand in an address as it is. */
const CODED = /%[0-9a-f]{2}|[^\x21-\x24\x26-\x7e]/giu;

/**
 * One spelling for all of an address: octets are written as characters where they are printable ASCII (section 2.2.2), but
 * for those that mean something else in a pattern.
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
