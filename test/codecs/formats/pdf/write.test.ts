import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePdf, type PdfImage } from '../../../../codecs/formats/pdf/write.ts';

const jpeg = Uint8Array.from({ length: 300 }, (_, at) => at);
const image: PdfImage = { jpeg, width: 640, height: 480, components: 3 };

/** Follows the cross-reference table as a reader does, and maps each object number to its text up to `endobj`. */
function readObjects(file: Uint8Array): { version: string; objects: Map<number, string>; trailer: string } {
  const text = Buffer.from(file).toString('latin1');
  const tableAt = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
  const table = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(text.slice(tableAt));
  assert.ok(table, 'startxref points to the table');
  const objects = new Map<number, string>();
  for (let id = 1; id < Number(table[1]); id++) {
    const entry = text.substr(tableAt + table[0].length + (id - 1) * 20, 20);
    assert.match(entry, /^\d{10} 00000 n \n$/);
    const at = Number(entry.slice(0, 10));
    assert.ok(text.startsWith(`${id} 0 obj\n`, at), `object ${id} starts at its offset`);
    objects.set(id, text.slice(at, text.indexOf('endobj', at)));
  }
  return { version: text.slice(0, 8), objects, trailer: text.slice(text.indexOf('trailer')) };
}

test('writes one page that contains the JPEG unchanged', () => {
  const { version, objects, trailer } = readObjects(encodePdf(image));
  assert.equal(version, '%PDF-1.4');
  assert.match(trailer, /\/Root 1 0 R/);
  assert.match(objects.get(1)!, /\/Type \/Catalog \/Pages 2 0 R/);
  assert.match(objects.get(2)!, /\/Kids \[3 0 R\] \/Count 1/);
  const object = objects.get(5)!;
  assert.match(object, /\/Width 640 \/Height 480 \/ColorSpace \/DeviceRGB \/BitsPerComponent 8 \/Filter \/DCTDecode/);
  const length = Number(/\/Length (\d+)/.exec(object)![1]);
  const start = object.indexOf('stream\n') + 7;
  assert.deepEqual(Buffer.from(object.slice(start, start + length), 'latin1'), Buffer.from(jpeg));
  const content = objects.get(4)!;
  assert.ok(content.includes('<< /Length 34 >>\nstream\nq 640 0 0 480 0 0 cm /Picture Do Q\nendstream'));
});

test('declares a grey JPEG as grey', () => {
  assert.match(readObjects(encodePdf({ ...image, components: 1 })).objects.get(5)!, /\/ColorSpace \/DeviceGray/);
});

test('gives the page the size of the print', () => {
  const page = (density?: { x: number; y: number }) => readObjects(encodePdf({ ...image, density })).objects.get(3)!;
  assert.match(page(), /\/MediaBox \[0 0 640 480\]/);
  assert.match(page({ x: 300, y: 150 }), /\/MediaBox \[0 0 153.6 230.4\]/);
  assert.match(page({ x: 7, y: 72 }), /\/MediaBox \[0 0 6582.8571 480\]/);
});

test('scales a page beyond 14,400 units by UserUnit, which needs PDF 1.6', () => {
  const largest = readObjects(encodePdf({ ...image, width: 14_400 }));
  assert.equal(largest.version, '%PDF-1.4');
  assert.doesNotMatch(largest.objects.get(3)!, /UserUnit/);
  const larger = readObjects(encodePdf({ ...image, width: 14_401 }));
  assert.equal(larger.version, '%PDF-1.6');
  assert.match(larger.objects.get(3)!, /\/MediaBox \[0 0 7200.5 240\] \/UserUnit 2/);
});

test('writes the name of the program and nothing else about its origin', () => {
  const { objects, trailer } = readObjects(encodePdf(image));
  assert.equal(objects.get(6), '6 0 obj\n<< /Producer (Imagecrew) >>\n');
  assert.doesNotMatch(trailer, /\/ID/);
});
