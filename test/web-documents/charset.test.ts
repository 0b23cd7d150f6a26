import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeDocument } from '../../web-documents/charset.ts';

/** Byte E9 is é in ISO 8859-1 and windows-1250. Byte E8 is č in windows-1250 but è in ISO 8859-1. */
const LATIN = '\xe9';
const SLAVIC = '\xe8';

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const last = (text: string) => text.at(-1);

describe('the charset of a page', () => {
  for (const [name, source, contentType, expected] of [
    ['UTF-8 where nothing is said', '\xc4\x8d', undefined, 'č'],
    ['UTF-8 with errors', SLAVIC, 'text/html', '\ufffd'],
    ['of the header', SLAVIC, 'text/html; charset=windows-1250', 'č'],
    ['of the header, quoted', SLAVIC, 'text/html;charset="WINDOWS-1250"', 'č'],
    ['of the header, between others', SLAVIC, 'text/html; a=b; Charset = windows-1250 ; c=d', 'č'],
    ['of the page', `<meta charset=windows-1250>${SLAVIC}`, 'text/html', 'č'],
    ['of the page, quoted', `<META CHARSET="windows-1250">${SLAVIC}`, undefined, 'č'],
    [
      'of the page, by http-equiv',
      `<meta http-equiv="Content-Type" content="text/html; charset=windows-1250">${SLAVIC}`,
      undefined,
      'č',
    ],
    ['not of any content', `<meta name=a content="charset=windows-1250">${SLAVIC}`, undefined, '\ufffd'],
    ['not in a comment', `<!--<meta charset=windows-1250>-->${SLAVIC}`, undefined, '\ufffd'],
    ['of the header before the page', `<meta charset=utf-8>${SLAVIC}`, 'text/html;charset=windows-1250', 'č'],
    ['of the mark before the header', '\xef\xbb\xbf\xc4\x8d', 'text/html;charset=windows-1250', 'č'],
    ['within 1,024 bytes', `${' '.repeat(996)}<meta charset=windows-1250>${SLAVIC}`, undefined, 'č'],
    ['within 1,024 bytes only', `${' '.repeat(1024)}<meta charset=windows-1250>${SLAVIC}`, undefined, '\ufffd'],
    ['not UTF-16, which no tag is written in', '<meta charset=utf-16>\xc4\x8d', undefined, 'č'],
    ['x-user-defined as windows-1252', `<meta charset=x-user-defined>${LATIN}`, undefined, 'é'],
    ['UTF-8 in place of what nobody knows', `<meta charset=klingon>\xc4\x8d`, 'text/html; charset=foo', 'č'],
    ['the next where one is unknown', `<meta charset=klingon><meta charset=windows-1250>${SLAVIC}`, undefined, 'č'],
    ['latin-1 as windows-1252', '\x80', 'text/html; charset=iso-8859-1', '€'],
    ['UTF-16 by its mark', '\xff\xfe\x0d\x01', undefined, 'č'],
    ['UTF-16 big endian by its mark', '\xfe\xff\x01\x0d', undefined, 'č'],
    ['UTF-16 by the header', '\x0d\x01', 'text/html; charset=utf-16le', 'č'],
    ['Shift JIS', '\x83\x65', 'text/html; charset=Shift_JIS', 'テ'],
    ['of the XML declaration', `<?xml version="1.0" encoding="windows-1250"?>${SLAVIC}`, undefined, 'č'],
  ] as const)
    it(`is ${name}`, () => {
      assert.equal(last(decodeDocument(latin1(source), contentType, 'page')), expected);
    });

  it('leaves no byte order mark in the text', () => {
    assert.equal(decodeDocument(latin1('\xef\xbb\xbfa'), undefined, 'page'), 'a');
    assert.equal(decodeDocument(latin1(''), undefined, 'page'), '');
  });
});

describe('the charset of a style sheet', () => {
  it('comes from its header, otherwise from its first rule', () => {
    const rule = `@charset "windows-1250";${SLAVIC}`;
    assert.equal(last(decodeDocument(latin1(rule), 'text/css', 'stylesheet')), 'č');
    assert.equal(last(decodeDocument(latin1(` ${rule}`), 'text/css', 'stylesheet')), '\ufffd');
    assert.equal(
      last(decodeDocument(latin1(`${rule.slice(0, -1)}\xc4\x8d`), 'text/css;charset=utf-8', 'stylesheet')),
      'č',
    );
    assert.equal(
      last(decodeDocument(latin1(`<meta charset=windows-1250>${SLAVIC}`), undefined, 'stylesheet')),
      '\ufffd',
    );
  });
});

describe('the charset of XML and JSON', () => {
  it('comes from the declaration in XML', () => {
    const source = latin1(`<?xml version='1.0' encoding='windows-1250'?>${SLAVIC}`);
    assert.equal(last(decodeDocument(source, 'image/svg+xml', 'svg')), 'č');
    assert.equal(last(decodeDocument(source, undefined, 'sitemap')), 'č');
  });

  it('is UTF-8 in JSON, unless the header says otherwise', () => {
    assert.equal(last(decodeDocument(latin1('\xc4\x8d'), undefined, 'manifest')), 'č');
  });
});
