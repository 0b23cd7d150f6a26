import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NamedResult, outputName } from '../../../engine/pipeline/output-name.ts';
import { verifies } from '../../support/verifies.ts';

const RESULT: NamedResult = {
  sourceName: 'beach day.tar.JPG',
  format: 'jpeg',
  width: 640,
  height: 480,
  index: 7,
  time: Date.UTC(2026, 10, 21, 23, 59, 59, 999),
};

describe('outputName', () => {
  const patterns: [string | null, string][] = [
    [null, 'beach day.tar.jpg'],
    ['{name}.{ext}', 'beach day.tar.jpg'],
    ['{date} {index}_{name}-{width}x{height}.{format}', '2026-11-21 7_beach day.tar-640x480.jpeg'],
    ['{width}{width}', '640640'],
    ['plain', 'plain'],
    ['{name}@2x.{ext}', 'beach day.tar-2x.jpg'],
    ['{Name}{ext }{}{', '-Name--ext ----'],
    ['{{name}}', '-beach day.tar-'],
    ['../../etc/{name}', '-..-etc-beach day.tar'],
    ['..\\{ext}', '-jpg'],
    ['C:\\temp\\x.{ext}', 'C--temp-x.jpg'],
    ['žaba😀.{ext}', '-aba-.jpg'],
    ['a\r\nSet-Cookie: b\0.{ext}', 'a--Set-Cookie- b-.jpg'],
    ['"{name}".{ext}', '-beach day.tar-.jpg'],
    ['  .{ext}. ', 'jpg'],
    ['. .', 'beach day.tar'],
    ['__proto__{constructor}', '__proto__-constructor-'],
    ['$&$1{ext}', '---1jpg'],
  ];
  for (const [pattern, name] of patterns)
    it(`returns ${name} for ${JSON.stringify(pattern)}`, () => assert.equal(outputName(pattern, RESULT), name));

  const sources: [string | undefined, string][] = [
    [undefined, 'image'],
    ['', 'image'],
    ['..', 'image'],
    ['/', 'image'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\boot.ini', 'boot'],
    ['Žaba 蛙.png', 'Žaba 蛙'],
    ['{ext}{width}.png', '{ext}{width}'],
    ['$&.png', '$&'],
    ['a"\r\nX: y.png', 'a___X_ y'],
    ['\u202egnp.exe', '_gnp'],
  ];
  for (const [sourceName, stem] of sources) {
    it(`uses ${JSON.stringify(stem)} for the source ${JSON.stringify(sourceName)}`, () => {
      verifies('pipeline.name');
      assert.equal(outputName('{name}-{index}.{ext}', { ...RESULT, sourceName }), `${stem}-7.jpg`);
    });
  }

  it('limits the length of the name for any pattern', () => {
    const name = outputName('{name}'.repeat(20), { ...RESULT, sourceName: '😀'.repeat(300) });
    assert.equal(name, '😀'.repeat(100));
  });

  it('returns null if the pattern contains an unknown size', () => {
    const unknown = { ...RESULT, width: null, height: null };
    assert.equal(outputName('{name}-{width}.{ext}', unknown), null);
    assert.equal(outputName('{height}', unknown), null);
    assert.equal(outputName('{name}.{ext}', unknown), 'beach day.tar.jpg');
  });
});
