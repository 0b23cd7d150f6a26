/** Sums up the places of an asset, which are added one by one. */
import { rolesThatAre } from '../../../base/reference-roles.ts';
import type { AssetPlace } from '../../../storage/repositories/site-assessment.ts';
import { faultsIn } from '../../../storage/repositories/site-reference-faults.ts';
import { shownShare } from '../fitting.ts';
import { MOST_LISTED, type Places } from './finding.ts';

/** Roles of places that do not show the image, so they have no displayed size. */
const UNSHOWN: ReadonlySet<string> = new Set(rolesThatAre('crawled', 'loaded'));

/** From the most reliable source to the least. */
const SOURCES: readonly string[] = ['rendered', 'attribute', 'style', 'sizes', 'descriptor'];

/** Sources that a style sheet can override with a larger size. */
const CASCADED: ReadonlySet<string> = new Set(['attribute', 'style']);

export class PlacesSum implements Places {
  references = 0;
  readonly listed: number[] = [];
  displayed: Places['displayed'];
  isShownAtUnknownSize = false;
  hasChoice = false;
  readonly faults: Places['faults'] = new Map();
  readonly #roles = new Set<string>();
  /** The share of the image that {@link displayed} shows. */
  #share = -1;

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

  #show(place: AssetPlace): void {
    const { displayedWidth: width, displayedHeight: height, displayedSource: source, ...natural } = place;
    const rank = SOURCES.indexOf(source);
    if (CASCADED.has(source) && place.isSizeCertain === 0) this.isShownAtUnknownSize = true;
    if (rank < 0 || (width === null && height === null)) {
      this.isShownAtUnknownSize = true;
      return;
    }
    const share = shownShare(natural, { width, height });
    const { displayed } = this;
    const isBetterKnown = displayed !== undefined && rank < SOURCES.indexOf(displayed.source);
    if (share < this.#share || (share === this.#share && !isBetterKnown)) return;
    this.#share = share;
    this.displayed = { width, height, source };
  }
}

function list(listed: number[], seq: number): void {
  if (listed.length < MOST_LISTED) listed.push(seq);
}
