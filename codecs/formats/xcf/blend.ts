/** GIMP's layer modes, which mix two values between 0 and 1 (GIMP, "Layer Modes"). */

type Mix = (below: number, above: number) => number;

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const multiply: Mix = (below, above) => below * above;
const screen: Mix = (below, above) => 1 - (1 - below) * (1 - above);
const softLight: Mix = (below, above) => (1 - below) * multiply(below, above) + below * screen(below, above);
const hardLight: Mix = (below, above) => (above > 0.5 ? screen(below, 2 * above - 1) : multiply(below, 2 * above));
const dodge: Mix = (below, above) => (below === 0 ? 0 : above >= 1 ? 1 : clamp(below / (1 - above)));
const burn: Mix = (below, above) => (above <= 0 ? 0 : 1 - clamp((1 - below) / above));
const linearLight: Mix = (below, above) => clamp(below + 2 * above - 1);

/** Mixing functions by mode number: the numbers before GIMP 2.10, then those since. */
const MIXES: readonly (readonly [modes: readonly number[], mix: Mix])[] = [
  [[3, 30], multiply],
  [[4, 31], screen],
  // The old overlay mode was a soft light.
  [[5, 19, 45], softLight],
  [[23], (below, above) => hardLight(above, below)],
  [[6, 32], (below, above) => Math.abs(below - above)],
  [[7, 33], (below, above) => clamp(below + above)],
  [[8, 34], (below, above) => clamp(below - above)],
  [[9, 35], (below, above) => Math.min(below, above)],
  [[10, 36], (below, above) => Math.max(below, above)],
  [[15, 41], (below, above) => (above <= 0 ? 1 : clamp(below / above))],
  [[16, 42], dodge],
  [[17, 43], burn],
  [[18, 44], hardLight],
  [[20, 46], (below, above) => clamp(below - above + 0.5)],
  [[21, 47], (below, above) => clamp(below + above - 0.5)],
  [[48], (below, above) => (above > 0.5 ? dodge(below, 2 * above - 1) : burn(below, 2 * above))],
  [[49], (below, above) => (above > 0.5 ? Math.max(below, 2 * above - 1) : Math.min(below, 2 * above))],
  [[50], linearLight],
  [[51], (below, above) => (below + above < 1 ? 0 : 1)],
  [[52], (below, above) => below + above - 2 * below * above],
  [[53], (below, above) => clamp(below + above - 1)],
];

const BY_MODE = new Map(MIXES.flatMap(([modes, mix]) => modes.map((mode) => [mode, mix] as const)));

/** Returns a table by both levels; undefined for modes that only cover, and for modes of hue and the like. */
export function mixTable(mode: number): Uint8Array | undefined {
  const mix = BY_MODE.get(mode);
  if (!mix) return undefined;
  const table = new Uint8Array(256 * 256);
  for (let below = 0; below < 256; below++) {
    for (let above = 0; above < 256; above++)
      table[below * 256 + above] = Math.round(mix(below / 255, above / 255) * 255);
  }
  return table;
}

/**
 * Blends a pixel over another, both straight RGBA of 8 bits.
 * @param cover 0 to 1: the alpha of the upper pixel, with its opacity and mask
 */
export function blendPixel(
  below: Uint8Array,
  at: number,
  above: ArrayLike<number>,
  from: number,
  cover: number,
  table: Uint8Array | undefined,
): void {
  if (cover <= 0) return;
  const alpha = below[at + 3]! / 255;
  if (table) {
    // A mode mixes with the layer below, so nothing is painted where that is transparent.
    for (let channel = 0; channel < 3; channel++) {
      const old = below[at + channel]!;
      below[at + channel] = Math.round(old + (table[old * 256 + above[from + channel]!]! - old) * cover);
    }
    return;
  }
  const result = cover + alpha * (1 - cover);
  const share = cover / result;
  for (let channel = 0; channel < 3; channel++) {
    const old = below[at + channel]!;
    below[at + channel] = Math.round(old + (above[from + channel]! - old) * share);
  }
  below[at + 3] = Math.round(result * 255);
}
