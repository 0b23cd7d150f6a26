import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isSvg } from '../../../codecs/svg/recognise.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

test('recognises SVG by the first element, whatever precedes it', () => {
  for (const text of [
    SVG,
    '<svg>',
    '<svg:svg xmlns:svg="http://www.w3.org/2000/svg">',
    `\ufeff\n  ${SVG}`,
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- <html> -->\n${SVG}`,
    `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">\n${SVG}`,
    `<!DOCTYPE svg [\n<!ENTITY gt "]>">\n<!-- ]> -->\n<!ENTITY % other SYSTEM "x"> %other;\n]>\n<?style ]>?>\n${SVG}`,
    `<!DOCTYPE drawing>${SVG}`,
  ]) {
    assert.ok(isSvg(bytes(text)), text);
    assert.ok(isSvg(gzipSync(text)), `packed: ${text}`);
    assert.ok(isSvg(bytes(`\ufeff${text}`, 'utf16le')), `16 bits: ${text}`);
  }
});

test('uses the name in a document type that is longer than the part read', () => {
  const entities = '<!ENTITY ns "http://ns.adobe.com/">\n'.repeat(5000);
  assert.ok(isSvg(bytes(`<!DOCTYPE svg [${entities}]>${SVG}`)));
  assert.ok(!isSvg(bytes(`<!DOCTYPE html [${entities}]>${SVG}`)));
});

test('does not recognise other files', () => {
  for (const text of [
    '',
    '<',
    'svg',
    '<svgz/>',
    '<html><svg/></html>',
    '<?xml version="1.0"?><rss><svg/></rss>',
    '<!-- <svg/> -->',
    '<!-- <svg/>',
    '{"svg": "<svg/>"}',
    'text <svg/>',
  ]) {
    assert.ok(!isSvg(bytes(text)), text);
    assert.ok(!isSvg(gzipSync(text)), `packed: ${text}`);
  }
  assert.ok(!isSvg(bytes('\x1f\x8b\x08\x00broken', 'latin1')));
  assert.ok(!isSvg(bytes('\x1f\x8b', 'latin1')));
});

test('reads only a limited part of the file', () => {
  assert.ok(!isSvg(bytes(`<!--${' '.repeat(100_000)}-->${SVG}`)));
  assert.ok(isSvg(gzipSync(SVG + ' '.repeat(10_000_000))));
  // Truncated in the middle of the compressed stream.
  const incompressible = Array.from({ length: 9000 }, (_, at) => Math.imul(at, 2654435761) >>> 0).join(' ');
  assert.ok(isSvg(gzipSync(`${SVG}<!--${incompressible}-->`).subarray(0, 5000)));
});

test('recognises the real files', { skip: corpusSkipReason }, () => {
  for (const path of corpusFiles('svg')) assert.equal(isSvg(corpus(path)!), /\.svgz?$/.test(path), path);
  for (const path of corpusFiles('hostile-samples')) {
    // The truncated file contains compressed data that are not SVG.
    const svg = /\.svgz?$/.test(path) && !path.includes('truncated');
    assert.equal(isSvg(corpus(path)!), svg, path);
  }
  for (const folder of ['jpeg', 'png', 'pdf', 'tiff', 'nifti', 'legacy']) {
    for (const path of corpusFiles(folder)) assert.ok(!isSvg(corpus(path)!), path);
  }
});
