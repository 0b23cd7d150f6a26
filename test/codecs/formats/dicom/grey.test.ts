/** Conversion of stored values to grey: DICOM PS3.3, C.11. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertNearest, noise, samplesOf } from './support.ts';
import { dicomImage, EXPLICIT, IMPLICIT, type TestElement, type TestImage, words } from './write-dicom.ts';

const WIDTH = 16;
const HEIGHT = 12;
const PIXELS = WIDTH * HEIGHT;

const WINDOW_CENTRE = 0x00281050;
const WINDOW_WIDTH = 0x00281051;
const INTERCEPT = 0x00281052;
const SLOPE = 0x00281053;
const VOI_FUNCTION = 0x00281056;

function grey(values: readonly number[], more: TestElement[] = [], image: Partial<TestImage> = {}): Uint8Array {
  const pixels = words(values);
  return dicomImage(EXPLICIT, { width: WIDTH, height: HEIGHT, allocated: 16, pixels, more, ...image });
}

const window = (centre: string, width: string, name?: string): TestElement[] => [
  [WINDOW_CENTRE, 'DS', centre],
  [WINDOW_WIDTH, 'DS', width],
  ...(name ? ([[VOI_FUNCTION, 'CS', name]] as TestElement[]) : []),
];

/** The window functions of C.11.2.1.2.1, C.11.2.1.3.2 and C.11.2.1.3.1, from 0 to 255. */
const FUNCTIONS: Record<string, (x: number, c: number, w: number) => number> = {
  LINEAR: (x, c, w) => {
    if (x <= c - 0.5 - (w - 1) / 2) return 0;
    if (x > c - 0.5 + (w - 1) / 2) return 255;
    return ((x - (c - 0.5)) / (w - 1) + 0.5) * 255;
  },
  LINEAR_EXACT: (x, c, w) => (x <= c - w / 2 ? 0 : x > c + w / 2 ? 255 : ((x - c) / w + 0.5) * 255),
  SIGMOID: (x, c, w) => 255 / (1 + Math.exp((-4 * (x - c)) / w)),
};

describe('windows', () => {
  for (const [name, formula] of Object.entries(FUNCTIONS)) {
    it(`${name}: rounds the formula to the nearest level`, async () => {
      const values = noise(PIXELS, 4096);
      const expected = values.map((value) => formula(value, 1500, 1201));
      assertNearest(await samplesOf(grey(values, window('1500', '1201', name))), expected);
      assert.ok(new Set(expected.map(Math.round)).size > 50);
    });
  }

  it('are LINEAR when they have no function, and the first of several is used', async () => {
    const values = noise(PIXELS, 600);
    const expected = values.map((value) => FUNCTIONS.LINEAR!(value, 300, 400));
    assertNearest(await samplesOf(grey(values, window('300\\10', '400\\20'))), expected);
  });

  it('separate black from white at width 1 and are ignored at width 0', async () => {
    const values = Array.from({ length: PIXELS }, (_, index) => index);
    const divided = await samplesOf(grey(values, window('100', '1')));
    assertNearest(
      divided,
      values.map((value) => (value > 99 ? 255 : 0)),
    );
    const ignored = await samplesOf(grey(values, window('100', '0')));
    assertNearest(
      ignored,
      values.map((value) => (value / (PIXELS - 1)) * 255),
    );
  });

  it('apply to rescaled values', async () => {
    const values = noise(PIXELS, 4096);
    const more: TestElement[] = [...window('40', '400'), [INTERCEPT, 'DS', '-1024'], [SLOPE, 'DS', '0.5']];
    const expected = values.map((value) => FUNCTIONS.LINEAR!(value * 0.5 - 1024, 40, 400));
    assertNearest(await samplesOf(grey(values, more)), expected);
  });
});

describe('without a window', () => {
  it('uses the range of the frame, inverted for MONOCHROME1', async () => {
    const values = noise(PIXELS, 3000).map((value) => value + 500);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const expected = values.map((value) => ((value - least) / (most - least)) * 255);
    assertNearest(await samplesOf(grey(values)), expected);
    const inverted = await samplesOf(grey(values, [], { photometric: 'MONOCHROME1' }));
    assertNearest(
      inverted,
      expected.map((value) => 255 - value),
    );
  });

  it('keeps 8 bits as they are', async () => {
    const values = noise(PIXELS, 100);
    const pixels = Uint8Array.from(values);
    assertNearest(await samplesOf(grey([], [], { pixels, allocated: 8 })), values);
    const inverted = grey([], [], { pixels, allocated: 8, photometric: 'MONOCHROME1' });
    assertNearest(
      await samplesOf(inverted),
      values.map((value) => 255 - value),
    );
  });

  it('ignores padding for the range and shows it as black', async () => {
    const values = noise(PIXELS, 1000).map((value, index) => (index % 5 === 0 ? -2000 : value));
    const kept = values.filter((value) => value !== -2000);
    const [least, most] = [Math.min(...kept), Math.max(...kept)];
    const expected = values.map((value) => (value === -2000 ? 0 : 255 - ((value - least) / (most - least)) * 255));
    const more: TestElement[] = [[0x00280120, 'SS', -2000]];
    assertNearest(await samplesOf(grey(values, more, { signed: true, photometric: 'MONOCHROME1' })), expected);
    const range: TestElement[] = [...more, [0x00280121, 'SS', -1900]];
    const spread = values.map((value, index) => (value === -2000 ? -2000 + (index % 100) : value));
    assertNearest(await samplesOf(grey(spread, range, { signed: true, photometric: 'MONOCHROME1' })), expected);
  });

  it('shows black where there is only one value', async () => {
    assert.deepEqual(new Set(await samplesOf(grey(Array(PIXELS).fill(777)))), new Set([0]));
  });
});

describe('lookup tables', () => {
  const table = (descriptor: readonly number[], entries: readonly number[] | Uint8Array): TestElement[] => [
    [0x00283002, 'US', descriptor],
    [0x00283006, 'OW', entries],
  ];
  const entries = Array.from({ length: 300 }, (_, index) => Math.round(4095 * Math.sqrt(index / 299)));

  it('for values of interest are used before windows', async () => {
    const values = noise(PIXELS, 400);
    const more: TestElement[] = [...window('1', '2'), [0x00283010, 'SQ', [table([300, 50, 12], entries)]]];
    const expected = values.map((value) => {
      const entry = entries[Math.max(0, Math.min(299, value - 50))]!;
      return (entry / 4095) * 255;
    });
    assertNearest(await samplesOf(grey(values, more)), expected);
  });

  it('for the modality come first, also with a first value below 0 for signed pixels in implicit VR', async () => {
    const values = noise(PIXELS, 300).map((value) => value - 150);
    const more: TestElement[] = [...window('2000', '3000'), [0x00283000, 'SQ', [table([300, -150, 16], entries)]]];
    const file = dicomImage(IMPLICIT, {
      width: WIDTH,
      height: HEIGHT,
      allocated: 16,
      signed: true,
      pixels: words(values),
      more,
    });
    const expected = values.map((value) => FUNCTIONS.LINEAR!(entries[value + 150]!, 2000, 3000));
    assertNearest(await samplesOf(file), expected);
  });

  it('can have one byte per entry', async () => {
    const values = noise(PIXELS, 256);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => 255 - index);
    const more: TestElement[] = [[0x00283010, 'SQ', [table([256, 0, 8], bytes)]]];
    assertNearest(
      await samplesOf(grey(values, more)),
      values.map((value) => 255 - value),
    );
  });
});

describe('functional groups', () => {
  const rescale = (intercept: string): TestElement => [
    0x00289145,
    'SQ',
    [
      [
        [INTERCEPT, 'DS', intercept],
        [SLOPE, 'DS', '2'],
      ],
    ],
  ];
  const voi = (centre: string, width: string): TestElement => [0x00289132, 'SQ', [window(centre, width)]];
  const values = noise(PIXELS, 1000);
  const more: TestElement[] = [
    ...window('1', '2'),
    [0x52009229, 'SQ', [[voi('800', '500')]]],
    [0x52009230, 'SQ', [[rescale('-10'), voi('600', '700')].reverse(), [rescale('-20')]]],
  ];
  const pixels = words([...values, ...values]);

  for (const [name, encoding] of Object.entries({
    'known lengths': EXPLICIT,
    'undefined lengths': { ...EXPLICIT, undefinedLengths: true },
    'implicit VR': { ...IMPLICIT, undefinedLengths: true },
  })) {
    it(`per frame are used before the shared ones: ${name}`, async () => {
      const file = dicomImage(encoding, { width: WIDTH, height: HEIGHT, allocated: 16, frames: 2, pixels, more });
      const first = values.map((value) => FUNCTIONS.LINEAR!(value * 2 - 10, 600, 700));
      const second = values.map((value) => FUNCTIONS.LINEAR!(value * 2 - 20, 800, 500));
      assertNearest(await samplesOf(file, 1), first);
      assertNearest(await samplesOf(file, 2), second);
    });
  }
});
