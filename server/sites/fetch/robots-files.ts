import type { Clock } from '../../clock.ts';
import { PRODUCT_TOKEN } from '../user-agent.ts';
import { parseRobots, ROBOTS_BYTES, type Robots } from './robots.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

/** The robots.txt files of the hosts of a scan, each read once (RFC 9309, section 2.4: and again after a day). */
export class RobotsFiles {
  readonly #clock: Clock;
  readonly #read: (url: URL) => Promise<ArrayBuffer>;
  readonly #files = new Map<string, { readAt: number; robots: Promise<Robots> }>();

  /** @param read gives the beginning of a file; nothing where there is none */
  constructor(clock: Clock, read: (url: URL) => Promise<ArrayBuffer>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** @throws what `read` throws, also when it is asked for again */
  of({ origin }: URL): Promise<Robots> {
    const now = this.#clock.now();
    const known = this.#files.get(origin);
    if (known && now - known.readAt < KEPT_MS) return known.robots;
    const robots = this.#read(new URL('/robots.txt', origin)).then((data) => parseRobots(textOf(data), PRODUCT_TOKEN));
    this.#files.set(origin, { readAt: now, robots });
    return robots;
  }
}

/** A last line that is cut off is left out: `/a` of `/about` would say more than is meant. */
function textOf(data: ArrayBuffer): string {
  const text = new TextDecoder().decode(data);
  return data.byteLength < ROBOTS_BYTES
    ? text
    : text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')));
}
