/** Scenes of high dynamic range, drawn in light and coded in PQ or HLG (ITU-R BT.2100-2) with the primaries of BT.2020. */
import sharp from 'sharp';
import { ByteWriter } from '../../codecs/byte-writer.ts';
import { chunk } from '../../codecs/metadata/png-chunks.ts';

/** RGB light in cd/m2, interleaved. */
export interface Scene {
  width: number;
  height: number;
  light: Float64Array;
}

type Light = readonly [red: number, green: number, blue: number];

function draw(width: number, height: number, lightAt: (x: number, y: number) => Light): Scene {
  const light = new Float64Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) light.set(lightAt(x, y), (y * width + x) * 3);
  }
  return { width, height, light };
}

/** Ramps from 0.1 to 4,000 cd/m2 of white and of six saturated colours. */
export const ramps = (): Scene => {
  const [width, rows, height] = [512, 7, 30];
  return draw(width, rows * height, (x, y) => {
    const light = 0.1 * 40_000 ** (x / (width - 1));
    const mask = [7, 1, 2, 4, 3, 6, 5][Math.floor(y / height)]!;
    return [1, 2, 4].map((bit) => (mask & bit ? light : light / 20)) as unknown as Light;
  });
};

/** Light of the rows of patches, in cd/m2. */
const PATCH_LIGHTS = [10, 50, 100, 203, 400, 1000, 2000, 4000];

/** Patches of 24 hues, half saturated, at eight levels of light. */
export const patches = (): Scene => {
  const side = 24;
  const hues = 24;
  return draw(hues * side, PATCH_LIGHTS.length * side, (x, y) => {
    const hue = (Math.floor(x / side) / hues) * 6;
    const light = PATCH_LIGHTS[Math.floor(y / side)]!;
    const component = (at: number) => {
      const distance = Math.abs(((hue - at + 9) % 6) - 3);
      return light * (0.15 + 0.85 * Math.min(1, Math.max(0, 2 - distance)));
    };
    return [component(0), component(2), component(4)];
  });
};

/** A sunset over water with coloured lamps: from 0.05 cd/m2 to a sun of 4,000 cd/m2. */
export const sunset = (): Scene => {
  const [width, height] = [480, 320];
  const horizon = 200;
  return draw(width, height, (x, y) => {
    const fromSun = Math.hypot(x - 330, Math.min(y, 2 * horizon - y) - 150);
    const glow = 600 * Math.exp(-fromSun / 60) + 60 * Math.exp(-fromSun / 200);
    const sun = fromSun < 16 && y < horizon ? 4000 : 0;
    const shade = y < horizon ? 1 : 0.35 + 0.25 * Math.sin(y / 3 + x / 40);
    const lamp = LAMPS.find((one) => Math.hypot(x - one.x, y - one.y) < 9)?.light;
    if (lamp) return lamp;
    const up = Math.abs(y - horizon) / horizon;
    return [
      shade * (glow + 12) + sun,
      shade * (0.55 * glow + 10 + 6 * up) + 0.9 * sun,
      shade * (0.2 * glow + 14 + 30 * up) + 0.7 * sun,
    ];
  });
};

const LAMPS: readonly { x: number; y: number; light: Light }[] = [
  { x: 60, y: 260, light: [900, 30, 20] },
  { x: 110, y: 262, light: [40, 700, 60] },
  { x: 160, y: 264, light: [30, 60, 800] },
  { x: 210, y: 266, light: [1500, 900, 50] },
  { x: 60, y: 60, light: [0.05, 0.05, 0.05] },
];

/** Constants of PQ. */
const [M1, M2, C1, C2, C3] = [0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875];

function pqSample(light: number): number {
  const power = (Math.min(light, 10_000) / 10_000) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
}

/** Constants of HLG; the system gamma is that of a display of 1,000 cd/m2. */
const [A, B, C, GAMMA, HLG_PEAK] = [0.17883277, 0.28466892, 0.55991073, 1.2, 1000];

const hlgSample = (scene: number): number =>
  scene <= 1 / 12 ? Math.sqrt(3 * scene) : A * Math.log(12 * scene - B) + C;

const codeHlg = ([red, green, blue]: Light): Light => {
  const luminance = Math.min(1, (0.2627 * red + 0.678 * green + 0.0593 * blue) / HLG_PEAK);
  const factor = luminance === 0 ? 0 : luminance ** (1 / GAMMA - 1) / HLG_PEAK;
  return [red, green, blue].map((light) => hlgSample(Math.min(1, light * factor))) as unknown as Light;
};

export type Transfer = 'pq' | 'hlg';

/** Code points (ITU-T H.273). */
export const TRANSFER_CODES: Readonly<Record<Transfer, number>> = { pq: 16, hlg: 18 };
export const BT2020 = 9;

/** Length of the signature and IHDR of a PNG. */
const HEADER_BYTES = 33;

/** A light level of a PNG counts ten-thousandths of a cd/m2. */
const LIGHT_UNIT = 10_000;

/**
 * A PNG of 16 bits with cICP (PNG 3, 11.3.2.6).
 * @param peak light of the brightest pixel in cd/m2, to be recorded in cLLI
 */
export async function pngOf({ width, height, light }: Scene, transfer: Transfer, peak?: number): Promise<Buffer> {
  const samples = new Uint16Array(light.length);
  for (let at = 0; at < light.length; at += 3) {
    const rgb: Light = [light[at]!, light[at + 1]!, light[at + 2]!];
    const coded = transfer === 'pq' ? rgb.map(pqSample) : codeHlg(rgb);
    samples.set(
      coded.map((sample) => Math.round(65_535 * sample)),
      at,
    );
  }
  const file = await sharp(samples, { raw: { width, height, channels: 3 } })
    .toColourspace('rgb16')
    .png()
    .toBuffer();
  const code = chunk('cICP', Uint8Array.of(BT2020, TRANSFER_CODES[transfer], 0, 1));
  const levels = new ByteWriter();
  if (peak !== undefined) levels.bytes(chunk('cLLI', new ByteWriter().u32(peak * LIGHT_UNIT, 0).finish()));
  return Buffer.concat([file.subarray(0, HEADER_BYTES), code, levels.finish(), file.subarray(HEADER_BYTES)]);
}
