import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readNotice } from '../../../scripts/licences/notice.ts';
import { STANDARD_TEXTS } from '../../../scripts/licences/standard-texts.ts';
import { repositoryFile } from '../../support/repository.ts';

const textOf = (id: string): string => STANDARD_TEXTS.find((text) => text.id === id)!.text;

describe('a notice', () => {
  test('is a copyright and a standard text, however that is wrapped and titled', () => {
    const notice = `# The MIT License (MIT)\n\nCopyright (c) 2020 Ann\nCopyright 2021 Bob\n\n${textOf('MIT').replaceAll('\n', ' ')}`;
    assert.deepEqual(readNotice(notice), {
      copyright: ['Copyright (c) 2020 Ann', 'Copyright 2021 Bob'],
      standard: ['MIT'],
      own: undefined,
    });
  });

  test('keeps a text that differs from the standard in a word', () => {
    const changed = textOf('MIT').replace('without restriction', 'without sale');
    assert.deepEqual(readNotice(`Copyright (c) 2020 Ann\n\n${changed}`), {
      copyright: ['Copyright (c) 2020 Ann'],
      standard: [],
      own: changed,
    });
  });

  test('keeps what is around a standard text', () => {
    const { standard, own } = readNotice(`Files in src/ are from Bob.\n\n${textOf('ISC')}\n\nThanks to Cy.`);
    assert.deepEqual(standard, ['ISC']);
    assert.equal(own, 'Files in src/ are from Bob.\n\n[Here is the text ISC.]\n\nThanks to Cy.');
  });

  test('recognises long licences with another appendix, and the name in it', () => {
    const [terms] = textOf('Apache-2.0').split('APPENDIX');
    assert.deepEqual(readNotice(terms!), { copyright: [], standard: ['Apache-2.0'], own: undefined });
    const named = textOf('Apache-2.0').replace('[yyyy] [name of copyright owner]', '2020 Ann');
    assert.deepEqual(readNotice(named), {
      copyright: ['Copyright 2020 Ann'],
      standard: ['Apache-2.0'],
      own: undefined,
    });
  });
});

describe('THIRD-PARTY-NOTICES', () => {
  const notices = readFileSync(repositoryFile('THIRD-PARTY-NOTICES'), 'utf8');

  test('has the text of each shared licence once', () => {
    for (const { id, text } of STANDARD_TEXTS) assert.equal(notices.split(text).length, 2, id);
    for (const title of [
      /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 2\.1/g,
      /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/g,
      /GNU GENERAL PUBLIC LICENSE\s+Version 3/g,
      /Apache License\s+Version 2\.0/g,
      /SIL OPEN FONT LICENSE Version/g,
    ])
      assert.equal([...notices.matchAll(title)].length, 1, String(title));
  });

  test('names packages, what is built into the product, and libraries in WebAssembly with their source', () => {
    for (const entry of [
      'koa ',
      'preact ',
      'libvips ',
      'LibRaw ',
      'PDFium ',
      'Tesseract ',
      'HarfBuzz ',
      'ONNX Runtime ',
    ])
      assert.match(notices, new RegExp(`^${entry}`, 'm'));
    for (const [, name] of notices.matchAll(/^(.*) \(LGPL-.*\)\n(?! {4}(?:Copyright.*\n {4})*Source code: https:)/gm))
      assert.fail(`${name} has no address of its source code`);
  });

  test('has every text that it refers to', () => {
    const owners = [...notices.matchAll(/See the text of (.+?)(?:, [\w.-]+)*[.]$/gm)].map(([, owner]) => owner!);
    assert.ok(owners.length > 10);
    for (const owner of owners) assert.equal(notices.split(`\n--- Text of ${owner} ---\n`).length, 2, owner);
    assert.doesNotMatch(notices, /undefined|\[object/);
  });
});
