/** Indexes the images of a package by the ways in which sources may name them. */
import { groupBy } from '../../base/group-by.ts';
import type { Replacement } from '../../replacement-package/replacement.ts';
import { decodedPath, nameOf, parseAddress } from './address.ts';

export class ReplacementIndex {
  readonly #byUrl: Map<string, Replacement[]>;
  readonly #byPath: Map<string, Replacement[]>;
  readonly #byBarePath: Map<string, Replacement[]>;
  readonly #bySpelling: Map<string, Replacement[]>;
  readonly #byName: Map<string, Replacement[]>;
  readonly #hosts: ReadonlySet<string>;

  constructor(lines: readonly Replacement[]) {
    const parts = new Map(lines.map((line) => [line, new URL(line.from)]));
    const path = (line: Replacement) => decodedPath(parts.get(line)!.pathname);
    const host = (line: Replacement) => parts.get(line)!.host;
    this.#byUrl = groupBy(lines, (line) => host(line) + path(line) + parts.get(line)!.search);
    this.#byPath = groupBy(lines, (line) => path(line) + parts.get(line)!.search);
    this.#byBarePath = groupBy(lines, path);
    this.#byName = groupBy(lines, (line) => nameOf(path(line)));
    this.#hosts = new Set(lines.map(host));
    this.#bySpelling = new Map();
    for (const line of lines) {
      for (const raw of new Set(line.raw)) {
        this.#bySpelling.set(raw, [...(this.#bySpelling.get(raw) ?? []), line]);
      }
    }
  }

  /** Whether the package has images on this host. */
  knowsHost(host: string): boolean {
    return this.#hosts.has(host);
  }

  /** By the full URL, ignoring the scheme. @param path decoded */
  ofUrl(host: string, path: string, query: string): readonly Replacement[] {
    return this.#byUrl.get(host + path + query) ?? [];
  }

  /** By the absolute path and query, otherwise by the path alone. @param path decoded, with a leading slash */
  ofPath(path: string, query: string): readonly Replacement[] {
    return this.#byPath.get(path + query) ?? this.#byBarePath.get(path) ?? [];
  }

  /** By the spelling on the pages. */
  ofSpelling(raw: string): readonly Replacement[] {
    return this.#bySpelling.get(raw) ?? [];
  }

  ofName(name: string): readonly Replacement[] {
    return this.#byName.get(name) ?? [];
  }

  /**
   * ReplacementIndex whose path ends with `path` or the other way round, since a site may be in a folder of its host.
   * @param path decoded, with a leading slash
   */
  ofBasePath(path: string): readonly Replacement[] {
    const same = this.ofName(nameOf(path));
    return same.filter((line) => {
      const own = decodedPath(parseAddress(line.from)!.path);
      return own !== path && (own.endsWith(path) || path.endsWith(own));
    });
  }
}
