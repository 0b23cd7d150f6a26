import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPdf } from '../../../codecs/pdf/recognise.ts';

const after = (junk: number) => Buffer.concat([Buffer.alloc(junk, 'x'), Buffer.from('%PDF-1.4\n')]);

test('the header may stand anywhere in the first 1024 bytes', () => {
  for (const junk of [0, 1, 500, 1019]) assert.ok(isPdf(after(junk)), `${junk}`);
  assert.ok(!isPdf(after(1020)));
});

test('nothing else is a PDF', () => {
  for (const text of ['', '%', '%PDF', '%!PS-Adobe-3.0', '<svg/>']) assert.ok(!isPdf(Buffer.from(text)), text);
});
