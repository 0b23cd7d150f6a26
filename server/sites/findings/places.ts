/** Sums up the places of an asset, which are added one by one. */
import { rolesWithUse } from '../../../base/reference-roles.ts';
import type { AssetPlace } from '../../../storage/ports/site-assessment.ts';
import { faultsIn } from '../../../storage/records/site-reference-faults.ts';
import { displayedShare } from '../displayed-size.ts';
import { MAX_LISTED_REFERENCES, type Places } from './finding.ts';

/** Roles of places that do not show the image, so they have no displayed size. */
const UNDISPLAYED_ROLES: ReadonlySet<string> = new Set(rolesWithUse('crawled', 'loaded'));

/** From the most reliable source to the least. */
const SOURCES: readonly string[] = ['rendered', 'attribute', 'style', 'sizes', 'descriptor'];

/** Sources that a style sheet can override with a larger size. */
const OVERRIDABLE_SOURCES: ReadonlySet<string> = new Set(['attribute', 'style']);

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
    appendListed(this.listed, place.seq);
    for (const code of faultsIn(place.faults)) {
      const fault = this.faults.get(code) ?? { listed: [], places: 0 };
      fault.places += 1;
      appendListed(fault.listed, place.seq);
      this.faults.set(code, fault);
    }
    if (UNDISPLAYED_ROLES.has(place.role)) return;
    if (place.candidates > 1) this.hasChoice = true;
    this.#measure(place);
  }

  #measure(place: AssetPlace): void {
    const { displayedWidth: width, displayedHeight: height, displayedSource: source, ...natural } = place;
    const rank = SOURCES.indexOf(source);
    if (OVERRIDABLE_SOURCES.has(source) && place.isSizeCertain === 0) this.isShownAtUnknownSize = true;
    if (rank < 0 || (width === null && height === null)) {
      this.isShownAtUnknownSize = true;
      return;
    }
    const share = displayedShare(natural, { width, height });
    const { displayed } = this;
    const isBetterKnown = displayed !== undefined && rank < SOURCES.indexOf(displayed.source);
    if (share < this.#share || (share === this.#share && !isBetterKnown)) return;
    this.#share = share;
    this.displayed = { width, height, source };
  }
}

function appendListed(listed: number[], seq: number): void {
  if (listed.length < MAX_LISTED_REFERENCES) listed.push(seq);
}
