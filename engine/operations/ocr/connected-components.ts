/** Connected components of an image: of its ink, or of one brightness. */
import type { GreyImage } from '../../../models/text.ts';

/** A connected component: its number of pixels and of holes, and its box with exclusive ends. */
export interface Component {
  ink: number;
  holes: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * Finds the connected components (8 neighbours) of the pixels at most as bright as the level, from runs of rows that
 * touch.
 */
export function findComponents({ data, width, height }: GreyImage, level: number): Component[] {
  const labels = new Labels();
  // Runs of the row above and of this one: start, end (exclusive) and label of each.
  let above = new Int32Array(3 * ((width >> 1) + 1));
  let here = new Int32Array(above.length);
  let aboveEnd = 0;
  for (let y = 0; y < height; y++) {
    let end = 0;
    let first = 0;
    for (let x = 0, row = y * width; x < width; x++) {
      if (data[row + x]! > level) continue;
      const start = x;
      while (x < width && data[row + x]! <= level) x++;
      const label = labels.add(start, y, x);
      while (first < aboveEnd && above[first + 1]! < start) first += 3;
      for (let run = first; run < aboveEnd && above[run]! <= x; run += 3) labels.join(above[run + 2]!, label);
      here[end] = start;
      here[end + 1] = x;
      here[end + 2] = label;
      end += 3;
    }
    [above, here] = [here, above];
    aboveEnd = end;
  }
  return labels.roots().map((root) => labels.piece(root));
}

/** Members of a component during labelling: its parent, its box and its counts. */
const PARENT = 0;
const LEFT = 1;
const TOP = 2;
const RIGHT = 3;
const BOTTOM = 4;
const INK = 5;
const HOLES = 6;
const MEMBERS = 7;

/** Components during labelling, in one block of memory: noise makes millions of them. */
export class Labels {
  #members = new Int32Array(MEMBERS * 4096);
  #count = 0;

  /** Adds a component of one run. @returns its label: runs count from 0 */
  add(start: number, y: number, end: number): number {
    const label = this.#count++;
    const at = label * MEMBERS;
    if (at === this.#members.length) {
      const grown = new Int32Array(2 * at);
      grown.set(this.#members);
      this.#members = grown;
    }
    const members = this.#members;
    members[at + PARENT] = label;
    members[at + LEFT] = start;
    members[at + TOP] = y;
    members[at + RIGHT] = end;
    members[at + BOTTOM] = y + 1;
    members[at + INK] = end - start;
    members[at + HOLES] = 0;
    return label;
  }

  /** The label shared by all runs of one component. */
  root(label: number): number {
    const members = this.#members;
    let at = label;
    while (members[at * MEMBERS] !== at) {
      members[at * MEMBERS] = members[members[at * MEMBERS]! * MEMBERS]!;
      at = members[at * MEMBERS]!;
    }
    return at;
  }

  /** Joins two runs that touch. If they already belong to one component, the second connection closes a hole. */
  join(one: number, other: number): void {
    const members = this.#members;
    const kept = this.root(one) * MEMBERS;
    const joined = this.root(other) * MEMBERS;
    if (kept === joined) {
      members[kept + HOLES]!++;
      return;
    }
    members[joined] = kept / MEMBERS;
    members[kept + LEFT] = Math.min(members[kept + LEFT]!, members[joined + LEFT]!);
    members[kept + TOP] = Math.min(members[kept + TOP]!, members[joined + TOP]!);
    members[kept + RIGHT] = Math.max(members[kept + RIGHT]!, members[joined + RIGHT]!);
    members[kept + BOTTOM] = Math.max(members[kept + BOTTOM]!, members[joined + BOTTOM]!);
    members[kept + INK]! += members[joined + INK]!;
    members[kept + HOLES]! += members[joined + HOLES]!;
  }

  /** Labels of all components. */
  roots(): number[] {
    const roots: number[] = [];
    for (let label = 0; label < this.#count; label++) {
      if (this.#members[label * MEMBERS + PARENT] === label) roots.push(label);
    }
    return roots;
  }

  /** @param root label of the component */
  piece(root: number): Component {
    const members = this.#members;
    const at = root * MEMBERS;
    return {
      ink: members[at + INK]!,
      holes: members[at + HOLES]!,
      left: members[at + LEFT]!,
      top: members[at + TOP]!,
      right: members[at + RIGHT]!,
      bottom: members[at + BOTTOM]!,
    };
  }
}
