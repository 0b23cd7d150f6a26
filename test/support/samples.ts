/** Small images for codec tests: generated, not stored, and the same in every run. */

export const KINDS = ['noise', 'pairs', 'runs', 'ramp', 'flat'] as const;
export type Kind = (typeof KINDS)[number];

/**
 * Creates interleaved samples that exercise an encoder: no runs at all, pairs between single values (the worst case
 * of a run-length code), runs of many lengths, slow changes, one colour.
 */
export function makeSamples<C extends 1 | 3 | 4>(kind: Kind, width: number, height: number, channels: C) {
  const data = new Uint8Array(width * height * channels);
  let state = 12345;
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < channels; channel++) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      const value = {
        noise: state >>> 24,
        pairs: (((pixel + 1) * 2) / 3) | 0,
        runs: (pixel >> (1 + ((pixel >> 7) % 5))) * 37 + channel * 50,
        ramp: (pixel % width) + channel * 3,
        flat: [200, 10, 30, 128][channel]!,
      }[kind];
      data[pixel * channels + channel] = value;
    }
  }
  return { data, width, height, channels };
}

/** Sizes around the packet length of the run-length codes (128) and the padding of rows (4). */
export const SIZES = [
  [1, 1],
  [2, 3],
  [127, 5],
  [128, 4],
  [129, 4],
  [300, 20],
] as const;
