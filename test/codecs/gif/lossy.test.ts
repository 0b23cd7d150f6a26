/** Lossy GIF: pixels change within bounds, and the file becomes smaller. Compared with gifsicle, which has the same option. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { writeGif } from '../../../codecs/gif/write.ts';
import { pattern } from '../../support/test-images.ts';
import { findProgram, skipWithout } from '../../support/tool.ts';
import { verifies } from '../../support/verifies.ts';
import { animationOf, decodeWithVips } from './animations.ts';

const [WIDTH, HEIGHT] = [120, 80];

/** Frames with soft colours and grain, of which the left half does not move and the top left corner is transparent. */
function grain(): Uint8Array[] {
  const { data } = pattern(WIDTH, HEIGHT, 4);
  return [0, 1, 2].map((turn) => {
    const frame = Uint8Array.from(data);
    for (let at = 0; at < frame.length; at += 4) {
      const [x, y] = [(at / 4) % WIDTH, Math.floor(at / 4 / WIDTH)];
      frame[at + 3] = x < 10 && y < 10 ? 0 : 255;
      // 4 levels of each channel, so that a table holds all colours.
      const moved = x < WIDTH / 2 ? 0 : turn * 37;
      for (const band of [0, 1, 2])
        frame[at + band] = 12 * Math.floor(((frame[at + band]! + moved * (band + 1)) % 256) / 64);
    }
    return frame;
  });
}

const encode = (lossy: number) => writeGif(animationOf(WIDTH, HEIGHT, grain()), { colours: 256, lossy });

/** The root mean square difference of visible pixels from the source, per frame. */
async function errors(bytes: Uint8Array): Promise<number[]> {
  const all = await decodeWithVips(bytes);
  return grain().map((source, place) => {
    const shown = all.subarray(place * source.length);
    let sum = 0;
    for (let at = 0; at < source.length; at += 1)
      if (source[at - (at % 4) + 3] === 255) sum += (shown[at]! - source[at]!) ** 2;
    return Math.sqrt(sum / (source.length * 0.75));
  });
}

describe('lossy', () => {
  it('0 changes no pixel; more makes the file smaller and the difference larger', async () => {
    verifies('gif.lossy');
    const files = [0, 20, 80, 200].map(encode);
    const sizes = files.map(({ length }) => length);
    for (const [place, size] of sizes.slice(1).entries()) assert.ok(size < sizes[place]!, `${sizes}`);
    const worst = await Promise.all(files.map(async (file) => Math.max(...(await errors(file)))));
    assert.equal(worst[0], 0);
    // gifsicle's bound: the squared difference in RGB, with what is carried from the pixel before, is at most 10 times the strength.
    for (const [place, strength] of [20, 80, 200].entries())
      assert.ok(worst[place + 1]! > 0 && worst[place + 1]! < Math.sqrt(10 * strength), `${worst}`);
  });

  it('keeps transparent pixels transparent and does not disturb what stands still', async () => {
    const all = Buffer.from(await decodeWithVips(encode(200)));
    const frames = [0, 1, 2].map((place) => all.subarray((place * all.length) / 3, ((place + 1) * all.length) / 3));
    const [first] = frames as [Buffer];
    for (const frame of frames) {
      for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
        const isCorner = at % WIDTH < 10 && at < 10 * WIDTH;
        assert.equal(frame[4 * at + 3], isCorner ? 0 : 255, `pixel ${at}`);
      }
      for (let row = 0; row < first.length; row += WIDTH * 4) {
        const half = row + WIDTH * 2;
        assert.ok(frame.subarray(row, half).equals(first.subarray(row, half)), `byte ${row}`);
      }
    }
  });

  it('is about as small as gifsicle makes it', { skip: skipWithout('gifsicle') }, () => {
    const source = encode(0);
    for (const strength of [20, 80, 200]) {
      const args = ['-O3', `--lossy=${strength}`];
      const other = execFileSync(findProgram('gifsicle')!, args, { input: source, stdio: ['pipe', 'pipe', 'ignore'] });
      const own = encode(strength).length;
      assert.ok(own < other.length * 1.1, `${strength}: ${own} bytes, gifsicle ${other.length}`);
    }
  });
});
