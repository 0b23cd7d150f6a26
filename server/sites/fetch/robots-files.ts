import type { Clock } from '../../clock.ts';
import { PRODUCT_TOKEN } from '../user-agent.ts';
import { parseRobots, ROBOTS_BYTES, type Robots } from './robots.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
/** Characters of all that are kept: the images of one page may lie on hundreds of hosts. */
const MOST_CHARACTERS = 8_000_000;

interface Kept {
  readAt: number;
  robots: Promise<Robots>;
  size: number;
}

/** The robots.txt files of the hosts of a scan, each read once (RFC 9309, section 2.4: and again after a day). */
export class RobotsFiles {
  readonly #clock: Clock;
  readonly #read: (url: URL) => Promise<ArrayBuffer>;
  /** Those that were asked for last come last. */
  readonly #files = new Map<string, Kept>();
  #characters = 0;

  /** @param read gives the beginning of a file; nothing where there is none */
  constructor(clock: Clock, read: (url: URL) => Promise<ArrayBuffer>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** @throws what `read` throws, also when it is asked for again */
  of({ origin }: URL): Promise<Robots> {
    const now = this.#clock.now();
    const known = this.#files.get(origin);
    if (known) this.#forget(origin, known);
    if (known && now - known.readAt < KEPT_MS) {
      this.#keep(origin, known);
      return known.robots;
    }
    const robots = this.#read(new URL('/robots.txt', origin)).then((data) => parseRobots(textOf(data), PRODUCT_TOKEN));
    const file: Kept = { readAt: now, robots, size: 0 };
    this.#keep(origin, file);
    robots.then(
      ({ size }) => this.#measured(origin, file, size),
      () => {},
    );
    return robots;
  }

  #keep(origin: string, file: Kept): void {
    this.#files.set(origin, file);
    this.#characters += file.size;
  }

  #forget(origin: string, file: Kept): void {
    this.#files.delete(origin);
    this.#characters -= file.size;
  }

  #measured(origin: string, file: Kept, size: number): void {
    if (this.#files.get(origin) !== file) return;
    file.size = size;
    this.#characters += size;
    for (const [oldest, each] of this.#files) {
      if (this.#characters <= MOST_CHARACTERS || each === file) return;
      this.#forget(oldest, each);
    }
  }
}

/** A last line that is cut off is left out: `/a` of `/about` would say more than is meant. */
function textOf(data: ArrayBuffer): string {
  const text = new TextDecoder().decode(data);
  return data.byteLength < ROBOTS_BYTES
    ? text
    : text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')));
}
