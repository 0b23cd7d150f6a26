/** What the places of an asset are together; they come one after another. */
import type { AssetPlace } from '../../../storage/repositories/site-assessment.ts';
import { faultsIn } from '../../../storage/repositories/site-reference-faults.ts';
import { MOST_LISTED, type Places } from './finding.ts';

/** Roles of places that do not show the image, so that they do not say how large it is shown. */
const UNSHOWN: ReadonlySet<string> = new Set([
  'link_icon',
  'link_preload',
  'manifest_icon',
  'og_image',
  'twitter_image',
  'json_ld',
  'image_sitemap',
]);

/** What is known best comes first. */
const SOURCES: readonly string[] = ['attribute', 'style', 'sizes', 'descriptor'];

export class PlacesSum implements Places {
  references = 0;
  readonly listed: number[] = [];
  displayed: Places['displayed'];
  isShownAtUnknownSize = false;
  hasChoice = false;
  readonly faults: Places['faults'] = new Map();
  readonly #roles = new Set<string>();

  get roles(): string[] {
    return [...this.#roles].sort();
  }

  add(place: AssetPlace): void {
    this.references += 1;
    this.#roles.add(place.role);
    list(this.listed, place.seq);
    for (const code of faultsIn(place.faults)) {
      const fault = this.faults.get(code) ?? { listed: [], places: 0 };
      fault.places += 1;
      list(fault.listed, place.seq);
      this.faults.set(code, fault);
    }
    if (UNSHOWN.has(place.role)) return;
    if (place.candidates > 1) this.hasChoice = true;
    this.#show(place);
  }

  #show({ displayedWidth: width, displayedHeight: height, displayedSource: source }: AssetPlace): void {
    const rank = SOURCES.indexOf(source);
    if (rank < 0 || (width === null && height === null)) {
      this.isShownAtUnknownSize = true;
      return;
    }
    const { displayed } = this;
    const better = displayed ? SOURCES.indexOf(displayed.source) - rank : 1;
    if (better > 0 || (better === 0 && isLarger({ width, height }, displayed!)))
      this.displayed = { width, height, source };
  }
}

function list(listed: number[], seq: number): void {
  if (listed.length < MOST_LISTED) listed.push(seq);
}

type Size = Pick<NonNullable<Places['displayed']>, 'width' | 'height'>;

function isLarger(one: Size, other: Size): boolean {
  const difference = (one.width ?? 0) - (other.width ?? 0);
  return difference > 0 || (difference === 0 && (one.height ?? 0) > (other.height ?? 0));
}
