import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../base/failure.ts';
import { withPdfium } from '../../codecs/formats/pdf/pdfium.ts';
import { pdfReader } from '../../codecs/formats/pdf/read.ts';
import { compileModule } from '../../codecs/modules.ts';
import { type Drawing, withDrawing } from '../../codecs/resvg.ts';
import { meterWork, WorkMeter } from '../../codecs/work-limit.ts';

/** A module with `(func (export "run") (param i32) (loop ... br_if))`. The argument is the number of iterations. */
const LOOP = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 1, 0x7f, 0],
  ...[3, 2, 1, 0],
  ...[6, 6, 1, 0x7f, 1, 0x41, 0, 0x0b],
  ...[7, 7, 1, 3, 0x72, 0x75, 0x6e, 0, 0],
  ...[10, 18, 1, 16, 0, 3, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x01, 0x01, 0x0b],
]);

describe('a module with metered work', () => {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(meterWork(LOOP)));
  const meter = new WorkMeter(instance);
  const run = instance.exports.run as (turns: number) => void;

  it('counts each turn of a loop equally, and stops at the limit', () => {
    const costOf = (turns: number) => {
      meter.start(1e6);
      run(turns);
      return 1e6 - meter.remaining;
    };
    const turn = costOf(2) - costOf(1);
    assert.ok(turn > 0);
    assert.equal(costOf(1001) - costOf(1), 1000 * turn);
    const cost = costOf(50);
    meter.start(cost);
    run(50);
    assert.equal(meter.remaining, 0);
    meter.start(cost - 1);
    assert.throws(() => run(50), WebAssembly.RuntimeError);
    assert.ok(meter.remaining < 0);
  });

  it('is rejected if it contains an unknown instruction', () => {
    const unknown = LOOP.slice();
    unknown[unknown.length - 2] = 0xfb;
    assert.throws(() => meterWork(unknown), /Expected a known WebAssembly instruction but received 251/);
  });
});

const svg = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100">${content}</svg>`;
const levels = (of: (level: number) => string) => Array.from({ length: 12 }, (_, level) => of(level)).join('');
const filtered = (filter: string) =>
  svg(`<filter id="f">${filter}</filter><rect width="100" height="100" fill="red" filter="url(#f)"/>`);
const pattern = (level: number) =>
  `<pattern id="p${level}" width=".1" height=".1">${`<rect width="99" height="99" fill="${level > 0 ? `url(#p${level - 1})` : 'red'}"/>`.repeat(3)}</pattern>`;
const mask = (level: number) =>
  `<mask id="m${level}">${`<rect width="99" height="99" fill="white"${level > 0 ? ` mask="url(#m${level - 1})"` : ''}/>`.repeat(4)}</mask>`;
const convolution = (order: number) =>
  filtered(`<feConvolveMatrix order="${order}" kernelMatrix="${'1 '.repeat(order * order)}"/>`);
const octaves = (count: number) => filtered(`<feTurbulence baseFrequency="0.05" numOctaves="${count}"/>`);
const dilation = (radius: number) => filtered(`<feMorphology operator="dilate" radius="${radius}"/>`);

/** For each kind of work, a drawing that exceeds the test's limit and one that does not. */
const LIMIT_CASES = [
  [
    'patterns of patterns',
    svg(`${levels(pattern)}<rect width="100" height="100" fill="url(#p11)"/>`),
    svg(`${levels(pattern)}<rect width="100" height="100" fill="url(#p0)"/>`),
  ],
  [
    'masks of masks',
    svg(`${levels(mask)}<rect width="100" height="100" mask="url(#m11)"/>`),
    svg(`${levels(mask)}<rect width="100" height="100" mask="url(#m1)"/>`),
  ],
  ['matrices', convolution(100), convolution(3)],
  ['octaves', octaves(1e9), octaves(3)],
  ['dilations', dilation(50), dilation(2)],
] as const;
const WORK = 300e6;

describe('drawings that take too much work', async () => {
  const module = await compileModule('resvg');
  const draw = (markup: string) => withDrawing(module, markup, {}, (drawing: Drawing) => drawing.render().free(), WORK);
  for (const [what, bomb, honest] of LIMIT_CASES) {
    it(`${what} are rejected, and the next drawing is drawn`, async () => {
      await assert.rejects(draw(bomb), (error) => {
        assert.ok(error instanceof Failure);
        assert.equal(error.code, 'image_too_large');
        assert.equal(
          error.message,
          'Expected at most 0.3 billion instructions to draw it for image but received more.',
        );
        return true;
      });
      await draw(honest);
    });
  }
});

/** Writes a page whose forms each draw the next form ten times. The last form draws a line. */
function nestedForms(depth: number): Uint8Array {
  const stream = (dictionary: string, content: string) =>
    `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
    stream('', '/F Do'),
    ...Array.from({ length: depth }, (_, level) =>
      stream(
        `/Type /XObject /Subtype /Form /BBox [0 0 72 72] /Resources << /XObject << /F ${level + 6} 0 R >> >>`,
        level === depth - 1 ? '0 0 m 72 72 l S' : '/F Do '.repeat(10),
      ),
    ),
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('');
  return new TextEncoder().encode(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`);
}

describe('the work limit of PDF pages', () => {
  const decode = (bytes: Uint8Array) =>
    pdfReader.decode(bytes, { page: 1, extension: '', scale: 1, maxPixels: 1e6 }, {} as never);

  it('allows pages below it', async () => {
    const content = await decode(nestedForms(3));
    assert.ok('bitmap' in content && content.bitmap.data.some((sample) => sample < 255));
  });

  it('rejects pages above it, and PDFium starts again', async () => {
    const used = (maxWork: number) => withPdfium((pdfium) => pdfium._FPDF_GetLastError(), maxWork);
    await used(1e6);
    await assert.rejects(used(0), { code: 'image_too_large' });
    await used(1e6);
    assert.ok('bitmap' in (await decode(nestedForms(2))));
  });
});
