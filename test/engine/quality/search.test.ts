import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { prepareDistance } from '../../../engine/quality/distance.ts';
import { searchSmart, searchTarget } from '../../../engine/quality/search.ts';
import { corpus } from '../../support/corpus.ts';
import { isNightly } from '../../support/nightly.ts';
import { rgb, SCENES, scene } from '../../support/scenes.ts';

/** An encoder's results for one image: size and distance at each quality from 1 to 100. */
interface Curve {
  name: string;
  bytes: number[];
  distance: number[];
}

const ENCODERS: Record<string, (image: Sharp, quality: number) => Sharp> = {
  jpeg: (image, quality) => image.jpeg({ quality, mozjpeg: true }),
  webp: (image, quality) => image.webp({ quality, effort: 1 }),
  avif: (image, quality) => image.avif({ quality, effort: 0 }),
};

const QUALITIES = Array.from({ length: 100 }, (_, index) => index + 1);

async function curveOf(name: string, image: Buffer, encode: (image: Sharp, quality: number) => Sharp): Promise<Curve> {
  const reference = prepareDistance(await rgb(sharp(image)));
  const curve: Curve = { name, bytes: [], distance: [] };
  for (const quality of QUALITIES) {
    const file = await encode(sharp(image), quality).toBuffer();
    curve.bytes.push(file.length);
    curve.distance.push(reference.compare(await rgb(sharp(file))));
  }
  return curve;
}

async function images(): Promise<[string, Buffer][]> {
  const made = SCENES.map(async (kind): Promise<[string, Buffer]> => {
    const { data, width, height } = scene(kind, 120, 90);
    return [
      kind,
      await sharp(data, { raw: { width, height, channels: 3 } })
        .png()
        .toBuffer(),
    ];
  });
  const real = ['faces/ulffd--imgs--17.jpg', 'subject/rembg--car-2.jpg'].flatMap((path) => corpus(path) ?? []);
  return Promise.all([
    ...made,
    ...real.map(
      async (file, index): Promise<[string, Buffer]> => [
        `real ${index}`,
        await sharp(file).resize(140).png().toBuffer(),
      ],
    ),
  ]);
}

/** A curve takes 100 encodings. These are the ones that differ most; the nightly run uses all. */
const REPRESENTATIVE = ['photo, jpeg', 'photo, webp', 'print, jpeg', 'real 0, jpeg'];

const curves: Curve[] = [];

/** Fills `curves` once, for the first tests that need them. */
async function makeCurves(): Promise<void> {
  if (curves.length > 0) return;
  for (const [image, bytes] of await images()) {
    for (const [format, encode] of Object.entries(ENCODERS)) {
      const name = `${image}, ${format}`;
      if (isNightly ? format !== 'avif' || image === 'photo' || image === 'real 0' : REPRESENTATIVE.includes(name))
        curves.push(await curveOf(name, bytes, encode));
    }
  }
}

/** Returns an encoder that replays the curve and records the requested qualities. */
function replayEncoder({ bytes, distance }: Curve) {
  const asked: number[] = [];
  const measured: number[] = [];
  return {
    asked,
    measured,
    encode: (quality: number) => {
      asked.push(quality);
      return { bytes: bytes[quality - 1]!, quality };
    },
    measure: ({ quality }: { quality: number }) => {
      measured.push(quality);
      return distance[quality - 1]!;
    },
  };
}

/** Returns target sizes over the whole range of a curve, at its ends and beyond. */
const targetsFor = ({ bytes }: Curve): number[] => {
  const [low, high] = [Math.min(...bytes), Math.max(...bytes)];
  const spread = Array.from({ length: 25 }, (_, step) => Math.round(low * (high / low) ** (step / 24)));
  return [...spread, low - 1, 1, high + 1, 1e9, ...[9, 29, 49, 74, 84, 94].map((at) => bytes[at]!)];
};

describe('searchTarget', () => {
  before(makeCurves);

  test('finds the largest quality that fits, with few encodings', async () => {
    let right = 0;
    const counts: number[] = [];
    for (const curve of curves) {
      for (const targetBytes of targetsFor(curve)) {
        const { encode, asked } = replayEncoder(curve);
        const found = await searchTarget({ encode, targetBytes });
        const best = QUALITIES.findLast((quality) => curve.bytes[quality - 1]! <= targetBytes);
        const what = `${curve.name}, ${targetBytes} bytes: quality ${found.quality} instead of ${best}, asked ${asked}`;
        if (found.quality === (best ?? 1)) right++;
        counts.push(asked.length);

        assert(asked.length <= 8, what);
        assert.equal(found.encodings, asked.length);
        assert.equal(new Set(asked).size, asked.length, `asked twice: ${what}`);
        assert.equal(found.result.quality, found.quality);
        assert.equal(found.fits, found.result.bytes <= targetBytes);
        const anyFits = asked.some((quality) => curve.bytes[quality - 1]! <= targetBytes);
        assert.equal(found.fits, anyFits, what);
      }
    }
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    assert(right / counts.length >= 0.95, `right in ${right} of ${counts.length}`);
    assert(mean < 5, `${mean} encodings on average`);
  });

  test('returns the smallest file when none fits', async () => {
    for (const curve of curves) {
      const { encode } = replayEncoder(curve);
      const { quality, result, fits } = await searchTarget({ encode, targetBytes: 1 });
      assert.deepEqual([quality, result.bytes, fits], [1, curve.bytes[0], false]);
    }
  });

  test('stays within its limits', async () => {
    for (const [min, max] of [
      [1, 1],
      [7, 7],
      [40, 41],
      [30, 60],
      [90, 100],
    ] as const) {
      for (const targetBytes of [1, 3000, 1e9]) {
        const { encode, asked } = replayEncoder(curves[0]!);
        const { quality } = await searchTarget({ encode, targetBytes, min, max });
        assert(quality >= min && quality <= max);
        assert(
          asked.every((each) => each >= min && each <= max),
          `asked ${asked}`,
        );
      }
    }
  });

  test('needs at most as many encodings as a bisection on the worst curve', async () => {
    const steps = (place: number): Curve => ({
      name: 'a step',
      bytes: QUALITIES.map((quality) => (quality <= place ? 10 + quality / 1000 : 1e8)),
      distance: [],
    });
    for (let place = 0; place <= 100; place++) {
      const { encode, asked } = replayEncoder(steps(place));
      const { quality, fits } = await searchTarget({ encode, targetBytes: 1000, encodings: 7 });
      assert.deepEqual([quality, fits], place === 0 ? [1, false] : [place, true]);
      assert(asked.length <= 7);
    }
  });

  test('waits for an asynchronous encoder, and passes on its error', async () => {
    const { encode } = replayEncoder(curves[0]!);
    const later = await searchTarget({ encode: async (quality) => encode(quality), targetBytes: 3000 });
    assert.deepEqual(later, await searchTarget({ encode, targetBytes: 3000 }));
    await assert.rejects(
      searchTarget({ encode: () => Promise.reject(new RangeError('no')), targetBytes: 1 }),
      RangeError,
    );
  });
});

const within = (low: number, high: number, value: number): boolean => value >= low && value <= high;

describe('searchSmart', () => {
  before(makeCurves);

  const smart = (curve: Curve, maxDistance: number, ceiling?: number) => {
    const { encode, measure, asked, measured } = replayEncoder(curve);
    const search = { encode, measure, maxDistance, min: 40, max: 92, ...(ceiling === undefined ? {} : { ceiling }) };
    return searchSmart(search).then((found) => ({ ...found, asked, measured }));
  };
  const range = QUALITIES.filter((quality) => quality >= 40 && quality <= 92);

  test('finds the lowest quality within the distance, or nearly, with few encodings', async () => {
    let right = 0;
    const counts: number[] = [];
    for (const curve of curves) {
      for (const maxDistance of [4, 3, 2, 1.5, 1.2, 1, 0.8, 0.6]) {
        const found = await smart(curve, maxDistance);
        const best = range.find((quality) => curve.distance[quality - 1]! <= maxDistance) ?? 92;
        // The search ends within 4% of the allowed distance.
        if (found.quality === best || within(0.96 * maxDistance, maxDistance, found.distance)) right++;
        else if (found.quality > 40 && found.distance <= maxDistance)
          assert(curve.distance[found.quality - 2]! > maxDistance, `${curve.name}: ${found.quality}`);
        counts.push(found.asked.length);
        assert(found.asked.length <= 8, `asked ${found.asked}`);
        assert.deepEqual(found.measured, found.asked);
        assert.equal(found.encodings, found.asked.length);
        assert.equal(found.distance, curve.distance[found.quality - 1]);
        assert.equal(found.fits, true);
        if (curve.distance[91]! <= maxDistance) assert(found.distance <= maxDistance, curve.name);
      }
    }
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    // Distances do not decrease everywhere, so that a smaller quality may also be within the limit.
    assert(right / counts.length >= 0.9, `right in ${right} of ${counts.length}`);
    assert(mean < 3.6, `${mean} encodings on average`);
  });

  test('uses the highest quality within a byte limit that the distance cannot meet', async () => {
    for (const curve of curves.filter(({ name }) => name.endsWith('jpeg'))) {
      for (const at of [45, 60, 75, 91]) {
        const ceiling = curve.bytes[at - 1]!;
        const found = await smart(curve, 0.01, ceiling);
        assert(found.result.bytes <= ceiling && found.fits, curve.name);
        assert(curve.bytes[found.quality]! > ceiling || found.quality === 92, `${curve.name}: ${found.quality}`);
        assert.equal(found.distance, curve.distance[found.quality - 1]);
        assert(
          found.measured.every((quality) => curve.bytes[quality - 1]! <= ceiling),
          'what is too large is not decoded',
        );
      }
    }
  });

  test('is not affected by a byte limit that the distance meets', async () => {
    for (const curve of curves.filter(({ name }) => name.startsWith('photo'))) {
      const free = await smart(curve, 1.5);
      const capped = await smart(curve, 1.5, free.result.bytes);
      assert(capped.distance <= 1.5, `${capped.distance}`);
      assert(capped.result.bytes <= free.result.bytes);
    }
  });

  test('returns the smallest file, measured, when none fits', async () => {
    const found = await smart(curves[0]!, 1.2, 1);
    assert.deepEqual([found.quality, found.fits], [40, false]);
    assert.equal(found.distance, curves[0]!.distance[39]);
  });

  test('uses the lowest quality when that is good enough, the highest when none is', async () => {
    assert.equal((await smart(curves[0]!, 1000)).quality, 40);
    const best = await smart(curves[0]!, 0);
    assert.equal(best.quality, 92);
    assert(best.distance > 0);

    const { encode, measure, asked } = replayEncoder(curves[0]!);
    await searchSmart({ encode, measure, maxDistance: 0, encodings: 7 });
    assert.equal(asked.at(-1), 100, `asked ${asked}`);
  });
});
