/** Turns the package's images with incomplete markup into mapping lines, by which their references are found. */
import { groupBy } from '../../base/group-by.ts';
import type { MarkupPlace } from '../../replacement-package/markup-place.ts';
import type { Replacement } from '../../replacement-package/replacement.ts';
import type { ReplacementPackage } from '../package/package.ts';

export interface MarkupImage {
  /** URL of the image. */
  from: string;
  places: readonly MarkupPlace[];
  /** Its replacement, if any. */
  replacement: Replacement | undefined;
}

export class MarkupImages {
  /** An image may have several lines: the scanned file and the files that replaced it. */
  readonly lines: Replacement[] = [];
  readonly #images: MarkupImage[] = [];

  /** @param findings includes images with at least one of these */
  constructor({ markupPlaces, lines }: ReplacementPackage, findings: readonly string[]) {
    const replacements = new Map(lines.map((line) => [line.from, line]));
    for (const [from, places] of groupBy(markupPlaces, (place) => place.from)) {
      if (!places.some((place) => place.findings.some((finding) => findings.includes(finding)))) continue;
      const line = replacements.get(from);
      const image = { from, places, replacement: line };
      const [{ from_sha256: sha256, from_bytes: bytes } = { from_sha256: null, from_bytes: null }] = places;
      this.#add(image, from, { sha256, bytes }, [...new Set(places.map(({ raw }) => raw))]);
      if (!line) continue;
      this.#add(image, new URL(line.to_path, from).href, { sha256: line.to_sha256, bytes: line.to_bytes });
      const { unresized } = line;
      if (unresized) this.#add(image, new URL(unresized.to_path, from).href, unresized);
    }
  }

  /** @param seq the `seq` of one of the lines */
  of(seq: number): MarkupImage {
    return this.#images[seq - 1]!;
  }

  #add(
    image: MarkupImage,
    at: string,
    file: { sha256: string | null; bytes: number | null },
    raw: string[] = [],
  ): void {
    this.#images.push(image);
    const { pathname, search } = new URL(at);
    const sha256 = file.sha256 ?? '';
    const bytes = file.bytes ?? 0;
    this.lines.push({
      seq: this.#images.length,
      from: at,
      from_path: pathname + search,
      raw,
      to: '',
      to_path: pathname,
      from_sha256: sha256,
      from_bytes: bytes,
      from_format: '',
      from_width: null,
      from_height: null,
      to_sha256: sha256,
      to_bytes: bytes,
      to_format: '',
      to_width: 1,
      to_height: 1,
      saved_bytes: 0,
      similarity: null,
      approval: 'auto',
      srcset: [],
      unresized: null,
      avif: null,
      srcset_markup: null,
      roles: [],
      pages: [],
      pages_total: 0,
    });
  }
}
