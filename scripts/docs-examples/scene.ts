/** A small scene with all that adjustments change: edges, texture, a gradient, a shaded ball, and noise everywhere. */
import sharp from 'sharp';
import { randomNumbers } from './random.ts';

const WIDTH = 176;
const HEIGHT = 132;
/** The standard deviation of the noise, in levels of 255. */
const NOISE = 9;

type Colour = readonly [number, number, number];

const HORIZON = 78;
const BALL = { x: 122, y: 80, radius: 34, colour: [205, 62, 48] } as const;
const SUN = { x: 40, y: 30, radius: 14, colour: [255, 236, 170] } as const;
const CHECKS = { dark: [52, 70, 60], light: [172, 180, 150] } as const;
const BAR = { from: 14, to: 74, top: 52, bottom: 112, colour: [240, 238, 228], gap: [44, 46, 60] } as const;

/** Returns a PNG file. */
export function scene(): Promise<Buffer> {
  const random = randomNumbers(11);
  // The sum of twelve has a standard deviation of 1.
  const noise = () => NOISE * (Array.from({ length: 12 }, random).reduce((sum, value) => sum + value) - 6);
  const samples = new Uint8ClampedArray(WIDTH * HEIGHT * 3);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    const grain = noise();
    const colour = colourAt(at % WIDTH, Math.floor(at / WIDTH));
    samples.set(
      colour.map((value) => value + grain + noise() / 2),
      3 * at,
    );
  }
  return sharp(Buffer.from(samples.buffer), { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

function colourAt(x: number, y: number): Colour {
  const across = (x - BALL.x) / BALL.radius;
  const down = (y - BALL.y) / BALL.radius;
  if (across ** 2 + down ** 2 < 1) return ballAt(across, down);
  if (x >= BAR.from && x < BAR.to && y >= BAR.top && y < BAR.bottom) return barsAt(x - BAR.from);
  if (y >= HORIZON) return checksAt(x, y);
  if (Math.hypot(x - SUN.x, y - SUN.y) < SUN.radius) return SUN.colour;
  const share = y / HORIZON;
  return [70 + 130 * share, 120 + 90 * share, 190 + 30 * share];
}

/** Lit from the upper left, with a highlight. */
function ballAt(across: number, down: number): Colour {
  const height = Math.sqrt(1 - across ** 2 - down ** 2);
  const light = Math.max(0, 0.62 * height - 0.55 * across - 0.55 * down);
  const highlight = 200 * Math.max(0, light - 0.84);
  return BALL.colour.map((value) => value * (0.2 + 0.9 * light) + 8 * highlight) as unknown as Colour;
}

/** Bars that become narrower to the right: of 8, 7, 6 … pixels, as many between them. */
function barsAt(offset: number): Colour {
  let [start, width] = [0, 8];
  while (offset >= start + 2 * width && width > 1) {
    start += 2 * width;
    width -= 1;
  }
  return (offset - start) % (2 * width) < width ? BAR.colour : BAR.gap;
}

/** A floor of checks, smaller towards the horizon. */
function checksAt(x: number, y: number): Colour {
  const depth = 420 / (y - HORIZON + 6);
  const column = Math.floor(((x - WIDTH / 2) * depth) / 160);
  return (column + Math.floor(depth / 2.2)) % 2 === 0 ? CHECKS.dark : CHECKS.light;
}
