import type { Clock } from '../../../base/clock.ts';
import { PRODUCT_TOKEN } from '../user-agent.ts';
import { parseRobots, ROBOTS_BYTES, type Robots } from './robots.ts';

const CACHE_MS = 24 * 60 * 60 * 1000;
/** Maximum total size in characters. The images of one page may be on hundreds of hosts. */
const MAX_CACHED_CHARACTERS = 8_000_000;

interface CachedRobots {
  readAt: number;
  robots: Promise<Robots>;
  size: number;
}

/** The robots.txt files of the hosts of a scan, each read once, and again after a day (RFC 9309, section 2.4). */
export class RobotsFiles {
  readonly #clock: Clock;
  readonly #read: (url: URL) => Promise<ArrayBuffer>;
  /** In order of last use, the most recent last. */
  readonly #files = new Map<string, CachedRobots>();
  #characters = 0;

  /** @param read returns the beginning of a file; empty when there is none */
  constructor(clock: Clock, read: (url: URL) => Promise<ArrayBuffer>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** @throws what `read` throws, also for later calls */
  of({ origin }: URL): Promise<Robots> {
    const now = this.#clock.now();
    const known = this.#files.get(origin);
    if (known) this.#forget(origin, known);
    if (known && now - known.readAt < CACHE_MS) {
      this.#keep(origin, known);
      return known.robots;
    }
    const robots = this.#read(new URL('/robots.txt', origin)).then((data) => parseRobots(textOf(data), PRODUCT_TOKEN));
    const file: CachedRobots = { readAt: now, robots, size: 0 };
    this.#keep(origin, file);
    robots.then(
      ({ size }) => this.#measured(origin, file, size),
      () => {},
    );
    return robots;
  }

  #keep(origin: string, file: CachedRobots): void {
    this.#files.set(origin, file);
    this.#characters += file.size;
  }

  #forget(origin: string, file: CachedRobots): void {
    this.#files.delete(origin);
    this.#characters -= file.size;
  }

  #measured(origin: string, file: CachedRobots, size: number): void {
    if (this.#files.get(origin) !== file) return;
    file.size = size;
    this.#characters += size;
    for (const [oldest, each] of this.#files) {
      if (this.#characters <= MAX_CACHED_CHARACTERS || each === file) return;
      this.#forget(oldest, each);
    }
  }
}

/** Drops a last line that is cut off: `/a`, cut from `/about`, would match too much. */
function textOf(data: ArrayBuffer): string {
  const text = new TextDecoder().decode(data);
  return data.byteLength < ROBOTS_BYTES
    ? text
    : text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')));
}
