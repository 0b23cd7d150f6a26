/** A PDF stays a document: text, structure and all pages, with smaller images. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { PDFDocument, PDFName, PDFRawStream, StandardFonts } from '@cantoo/pdf-lib';
import { compress } from '../../support/engine.ts';
import { decode, difference, jpeg, pattern } from '../../support/test-images.ts';
import { pipeline } from '../pipeline/support.ts';

const SECRET = 'Ann Example';

/** A page of text, a page with a photograph, and metadata. */
async function makePdf(change: (pdf: PDFDocument) => void = () => {}): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  pdf.setAuthor(SECRET);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  pdf.addPage([200, 100]).drawText('Kept as text', { x: 20, y: 40, size: 24, font });
  const photo = await pdf.embedJpg(await jpeg(pattern(400, 300), 95));
  pdf.addPage([200, 150]).drawImage(photo, { x: 0, y: 0, width: 200, height: 150 });
  await pdf.flush();
  change(pdf);
  return Buffer.from(await pdf.save());
}

/** The streams of a document. */
async function streamsOf(file: Uint8Array): Promise<PDFRawStream[]> {
  const { context } = await PDFDocument.load(file, { updateMetadata: false });
  return context.enumerateIndirectObjects().flatMap(([, object]) => (object instanceof PDFRawStream ? [object] : []));
}

async function photoBytes(file: Uint8Array): Promise<number> {
  const photo = (await streamsOf(file)).find(({ dict }) => String(dict.get(PDFName.of('Subtype'))) === '/Image');
  assert.equal(String(photo?.dict.get(PDFName.of('Filter'))), '/DCTDecode');
  return photo!.contents.length;
}

const drawn = async (file: Uint8Array, page: number) =>
  decode((await compress(file, { format: 'png', mode: 'lossless', page })).bytes);

describe('a PDF of two pages', () => {
  let file: Buffer;

  before(async () => {
    file = await makePdf();
  });

  it('stays a document with smaller images', async () => {
    const { bytes, outcome, warnings, format } = await compress(file, { quality: 60 });
    assert.deepEqual([format, outcome, warnings], ['pdf', 'reduced', []]);
    assert.ok((await photoBytes(bytes)) < (await photoBytes(file)) / 2);
    const pdf = await PDFDocument.load(bytes);
    assert.equal(pdf.getPageCount(), 2);
    const fonts = pdf.context.enumerateIndirectObjects().filter(([, object]) => String(object).includes('/Helvetica'));
    assert.ok(fonts.length > 0, 'the font is there');
    assert.deepEqual(await drawn(bytes, 1), await drawn(file, 1));
    assert.ok(difference(await drawn(bytes, 2), await drawn(file, 2)).mean < 4);
  });

  it('loses its metadata unless they are to be kept', async () => {
    const authorOf = async (bytes: Uint8Array) =>
      (await PDFDocument.load(bytes, { updateMetadata: false })).getAuthor();
    assert.equal(await authorOf((await compress(file)).bytes), undefined);
    assert.equal(await authorOf((await compress(file, { metadata: 'keep' })).bytes), SECRET);
  });

  it('is made to fit by the quality of its images', async () => {
    const { length } = (await compress(file, { quality: 100 })).bytes;
    const { bytes, outcome } = await compress(file, { target_bytes: Math.round(length / 3) });
    assert.equal(outcome, 'target_met');
    assert.ok(bytes.length <= length / 3 && bytes.length > length / 5, `${bytes.length} of ${length} bytes`);
    assert.equal((await compress(file, { target_bytes: 300 })).outcome, 'unreachable');
  });

  it('is returned as it is if it cannot be smaller', async () => {
    const small = (await compress(file, { quality: 40 })).bytes;
    const { bytes, outcome } = await compress(small, { metadata: 'keep', quality: 40, score: true });
    assert.deepEqual([outcome, bytes], ['kept_original', small]);
  });

  it('has all pages drawn where pixels are asked for', async () => {
    const { bytes, warnings, width, height } = await compress(file, { width: 100 });
    assert.deepEqual([warnings, width, height], [[], 100, 50]);
    assert.equal((await PDFDocument.load(bytes)).getPageCount(), 2);
    assert.deepEqual(
      [(await drawn(bytes, 2)).width > (await drawn(bytes, 2)).height, (await photoBytes(bytes)) > 0],
      [true, true],
    );
  });

  it('is one drawn page where a page is asked for, and in other formats', async () => {
    const one = await compress(file, { page: 2 });
    assert.deepEqual([(await PDFDocument.load(one.bytes)).getPageCount(), one.warnings], [1, []]);
    assert.deepEqual((await compress(file, { format: 'png' })).warnings, ['pages_dropped']);
  });

  it('stays a document in a pipeline, and its dry run knows the size', async () => {
    const { bytes, warnings, plan } = await pipeline(file, [{ op: 'compress', params: { quality: 60 } }]);
    assert.deepEqual(warnings, []);
    assert.deepEqual([plan.result.predicted.basis, plan.result.predicted.bytes], ['exact', bytes.length]);
    assert.deepEqual(bytes, (await compress(file, { quality: 60 })).bytes);
  });
});

it('a signed PDF is not changed', async () => {
  const file = await makePdf(({ context, catalog }) => {
    const signature = context.obj({ Type: 'Sig', ByteRange: [0, 10, 20, 10] });
    catalog.set(PDFName.of('AcroForm'), context.obj({ Fields: [], Signature: context.register(signature) }));
  });
  const { bytes, outcome } = await compress(file);
  assert.deepEqual([outcome, bytes], ['kept_original', file]);
});

it('the colours of an image that a PDF describes in its own way stay', async () => {
  const file = await makePdf(({ context }) => {
    for (const [, object] of context.enumerateIndirectObjects()) {
      if (object instanceof PDFRawStream && String(object.dict.get(PDFName.of('Subtype'))) === '/Image') {
        object.dict.set(PDFName.of('Decode'), context.obj([1, 0, 1, 0, 1, 0]));
      }
    }
  });
  const { bytes } = await compress(file, { quality: 20 });
  assert.equal(await photoBytes(bytes), await photoBytes(file));
  assert.deepEqual(await drawn(bytes, 2), await drawn(file, 2));
});
