/** First pass over all frames: collects their colours and finds the cuts between scenes. */
import { ColourSet } from './colour-set.ts';
import { type AnimationFrames, CLEAR, readColours } from './frames.ts';
import { type FrameRange, Histogram } from './histogram.ts';

/** A new scene begins with a frame that has at most this share of its pixels in common with the previous one, ... */
const MAX_UNCHANGED_SHARE = 1 / 16;
/**
 * ... and whose pixels have at most this share of colours in common with it, so that a moving camera starts no new
 * scene.
 */
const MAX_COMMON_COLOUR_SHARE = 1 / 2;

/** Consecutive frames between two cuts. */
export interface Scene extends FrameRange {
  /** Whether every frame has few enough colours to keep them all. */
  exact: boolean;
}

export interface Survey {
  /** Whether some pixel is transparent. */
  clear: boolean;
  /** Opaque colours of the table that serves the most frames, those that most of these frames draw first. */
  shared: number[];
  /** Whether the shared colours are those of all frames. */
  complete: boolean;
  scenes: Scene[];
  /** The colours of all scenes that are not exact. */
  histogram: Histogram;
}

/**
 * Surveys the frames. A scene is exact as a whole or not at all: within it, an unchanged pixel must not change its
 * colour.
 * @param limit how many colours a frame may show, including the transparent one
 */
export function surveyFrames(frames: AnimationFrames, limit: number): Survey {
  const area = frames.width * frames.height;
  let pixels = new Uint32Array(area);
  let before = new Uint32Array(area);
  const own = new FrameColours();
  const shared = new SharedColours();
  const scenes: Scene[] = [];
  const histogram = new Histogram();
  let clear = false;
  for (let index = 0; index < frames.delays.length; index += 1) {
    readColours(frames, index, pixels);
    const same = own.count(pixels, index > 0 ? before : null, limit);
    clear ||= own.clear;
    shared.add(own, limit);
    let scene = scenes.at(-1);
    const alike = own.alike();
    if (!scene || (same <= area * MAX_UNCHANGED_SHARE && alike <= area * MAX_COMMON_COLOUR_SHARE)) {
      scene = { start: index, end: index, exact: true };
      scenes.push(scene);
    }
    scene.end = index + 1;
    if (!own.few && scene.exact) {
      scene.exact = false;
      histogram.addScene(frames, scene, before);
    } else if (!scene.exact) histogram.addAll(pixels);
    [pixels, before] = [before, pixels];
  }
  const colours = shared.byUse();
  const room = limit - (clear ? 1 : 0);
  return {
    clear,
    shared: colours.slice(0, room),
    complete: shared.complete && colours.length <= room,
    scenes,
    histogram,
  };
}

/** The colours of one frame, as long as they are few. */
class FrameColours {
  readonly set = new ColourSet();
  /** Not 0 for colours of pixels that changed. */
  readonly drawn = new Uint8Array(ColourSet.MAX);
  few = true;
  clear = false;
  /** Pixel counts by the highest three bits of their colours, in this frame and the previous one. */
  #coarse = new Uint32Array(512);
  #coarseBefore = new Uint32Array(512);

  /** Counts the pixels whose coarse colours also occur in the previous frame, at any position. */
  alike(): number {
    return this.#coarse.reduce((sum, count, cell) => sum + Math.min(count, this.#coarseBefore[cell] as number), 0);
  }

  /** @returns how many opaque pixels are unchanged */
  count(pixels: Uint32Array, before: Uint32Array | null, limit: number): number {
    const set = this.set;
    set.clear();
    this.drawn.fill(0);
    this.few = true;
    this.clear = false;
    [this.#coarse, this.#coarseBefore] = [this.#coarseBefore, this.#coarse];
    const coarse = this.#coarse;
    coarse.fill(0);
    let same = 0;
    let last = CLEAR;
    let number = 0;
    for (let at = 0; at < pixels.length; at += 1) {
      const colour = pixels[at] as number;
      if (colour === CLEAR) {
        this.clear = true;
        continue;
      }
      const cell = ((colour & 0xe0) << 1) | ((colour & 0xe000) >>> 10) | ((colour & 0xe00000) >>> 21);
      coarse[cell] = (coarse[cell] as number) + 1;
      const stays = before !== null && before[at] === colour;
      if (stays) same += 1;
      if (!this.few) continue;
      if (colour !== last) {
        last = colour;
        number = set.add(colour);
        if (number < 0 || number >= limit) {
          this.few = false;
          continue;
        }
      }
      if (!stays) this.drawn[number] = 1;
    }
    this.few &&= set.size + (this.clear ? 1 : 0) <= limit;
    return same;
  }
}

/** Number of tables that are tried: enough for the parts of one animation, and few enough to try for every frame. */
const MAX_TABLES = 8;

/** Tables that frames could share: each frame goes to the first one with space for its colours. */
class SharedColours {
  readonly #tables: SharedTable[] = [];
  #few = true;

  /** Whether one table has the colours of all frames. */
  get complete(): boolean {
    return this.#few && this.#tables.length === 1;
  }

  add(own: FrameColours, limit: number): void {
    this.#few &&= own.few;
    if (!own.few) return;
    let table = this.#tables.find((other) => other.hasRoom(own, limit));
    if (!table) {
      if (this.#tables.length === MAX_TABLES) return;
      table = new SharedTable();
      this.#tables.push(table);
    }
    table.add(own);
  }

  /** Returns the colours of the table that serves the most frames, those that most of these frames draw first. */
  byUse(): number[] {
    const [first, ...others] = this.#tables;
    return others.reduce((best, table) => (best && best.frames >= table.frames ? best : table), first)?.byUse() ?? [];
  }
}

class SharedTable {
  readonly #set = new ColourSet();
  /** How many frames draw each colour. */
  readonly #drawn = new Uint32Array(ColourSet.MAX);
  /** How many frames the table serves. */
  frames = 0;

  hasRoom({ set }: FrameColours, limit: number): boolean {
    const colours = set.colours.subarray(0, set.size);
    const room = limit - this.#set.size;
    return colours.reduce((unknown, colour) => unknown + (this.#set.indexOf(colour) < 0 ? 1 : 0), 0) <= room;
  }

  add({ set, drawn }: FrameColours): void {
    for (const [number, colour] of set.colours.subarray(0, set.size).entries()) {
      const to = this.#set.add(colour);
      this.#drawn[to] = (this.#drawn[to] as number) + (drawn[number] as number);
    }
    this.frames += 1;
  }

  byUse(): number[] {
    return [...this.#set.colours.subarray(0, this.#set.size).entries()]
      .sort(([one], [other]) => (this.#drawn[other] as number) - (this.#drawn[one] as number))
      .map(([, colour]) => colour);
  }
}
