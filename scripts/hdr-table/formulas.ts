/**
 * The same computed from the published formulas in floating point, pixel by pixel and without tables: ITU-R BT.2100-2,
 * BT.2390-11 (5.4.1, without a lift of black), BT.2408-7 (white of 203 cd/m2), BT.2087-0 and IEC 61966-2-1.
 */
import { decodedPng, pngSamples } from './reference.ts';
import type { HdrFile } from './sources.ts';

const WHITE = 203;
const DEFAULT_PEAK = 1000;
const MAX = 65_535;

/** PQ (BT.2100-2, table 4). */
const [M1, M2, C1, C2, C3] = [0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875];
const fromPq = (sample: number): number => {
  const power = sample ** (1 / M2);
  return 10_000 * (Math.max(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1);
};
const toPq = (light: number): number => {
  const power = (light / 10_000) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
};

/** HLG (BT.2100-2, table 5) on a display of 1,000 cd/m2. */
const [A, B, C] = [0.17883277, 0.28466892, 0.55991073];
const fromHlg = (sample: number): number => (sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - C) / A) + B) / 12);

/** To linear BT.709: of BT.2020 (BT.2087-0) and of P3 with a white of D65. */
const TO_BT709: Readonly<Record<number, readonly number[]>> = {
  9: [1.660491, -0.587641, -0.07285, -0.12455, 1.1329, -0.008349, -0.018151, -0.100579, 1.11873],
  12: [1.22494, -0.22494, 0, -0.042057, 1.042057, 0, -0.019638, -0.078636, 1.098274],
};

/** EETF of BT.2390-11. */
function compressed(light: number, peak: number): number {
  const [source, target] = [toPq(peak), toPq(WHITE)];
  const e1 = toPq(light) / source;
  const max = target / source;
  const knee = 1.5 * max - 0.5;
  if (e1 <= knee) return light;
  const t = (e1 - knee) / (1 - knee);
  const e2 =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee) + (-2 * t ** 3 + 3 * t ** 2) * max;
  return fromPq(e2 * source);
}

const toSrgb = (linear: number): number => {
  const light = Math.min(1, Math.max(0, linear));
  return light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
};

/** @returns interleaved RGB of 8 bits in sRGB */
export async function toneMappedByFormulas(file: HdrFile, folder: string): Promise<Buffer> {
  const stdout = await pngSamples(await decodedPng(file, folder));
  const peak = file.peak ?? DEFAULT_PEAK;
  const shown = Buffer.alloc(stdout.length / 2);
  for (let at = 0; at < shown.length; at += 3) {
    const samples = [0, 1, 2].map((band) => stdout.readUInt16LE(2 * (at + band)) / MAX);
    const light = lightOf(samples, file.transfer).map((component) => Math.min(component, peak));
    const brightest = Math.max(...light);
    const gain = brightest === 0 ? 0 : compressed(brightest, peak) / brightest / WHITE;
    const matrix = TO_BT709[file.primaries]!;
    for (let band = 0; band < 3; band += 1) {
      const linear = light.reduce((sum, component, from) => sum + matrix[3 * band + from]! * component * gain, 0);
      shown[at + band] = Math.round(255 * toSrgb(linear));
    }
  }
  return shown;
}

function lightOf(samples: readonly number[], transfer: HdrFile['transfer']): number[] {
  if (transfer === 'pq') return samples.map(fromPq);
  const scene = samples.map(fromHlg) as [number, number, number];
  const luminance = 0.2627 * scene[0] + 0.678 * scene[1] + 0.0593 * scene[2];
  return scene.map((component) => 1000 * luminance ** 0.2 * component);
}
