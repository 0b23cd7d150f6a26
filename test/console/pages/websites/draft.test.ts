import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarations } from '../../../../console/declarations/declarations.ts';
import {
  EMPTY,
  locateError,
  removeNullDefaults,
  toRequestBody,
  validate,
} from '../../../../console/pages/websites/new/draft.ts';
import { settingGroups } from '../../../../console/pages/websites/new/setting-groups.ts';

describe('the form of a scan', () => {
  it('becomes a minimal request', () => {
    assert.deepEqual(toRequestBody({ ...EMPTY, url: ' example.com ' }, undefined), {
      source: 'url',
      url: 'example.com',
      review: false,
      optimize: 'auto',
    });
  });

  it('sends the filled fields, and only the address of the chosen source', () => {
    const draft = { ...EMPTY, source: 'list', url: 'x', urls: 'a.com/\na.com/b', name: ' Relaunch ' } as const;
    const more = { maxPages: '7', package: 'site_1k', review: true, isManual: true, settings: { quality: 60 } };
    assert.deepEqual(toRequestBody({ ...draft, ...more }, 'proj_1'), {
      source: 'list',
      urls: 'a.com/\na.com/b',
      project_id: 'proj_1',
      name: 'Relaunch',
      max_pages: 7,
      package: 'site_1k',
      review: true,
      optimize: 'manual',
      settings: { quality: 60 },
    });
  });

  it('is not sent without an address or with an invalid number', () => {
    assert.deepEqual(Object.keys(validate(EMPTY)), ['url']);
    assert.deepEqual(Object.keys(validate({ ...EMPTY, source: 'list' })), ['urls']);
    for (const maxPages of ['0', '-1', '1.5', 'many', '1e3'])
      assert.deepEqual(Object.keys(validate({ ...EMPTY, url: 'a.com', maxPages })), ['max_pages'], maxPages);
    for (const maxPages of ['', '1', ' 50 ']) assert.deepEqual(validate({ ...EMPTY, url: 'a.com', maxPages }), {});
  });

  it('shows each error of the service at its field', () => {
    assert.deepEqual(locateError('url'), { field: 'url' });
    assert.deepEqual(locateError('settings.quality'), { setting: 'quality' });
    assert.equal(locateError('project_id'), undefined);
    assert.equal(locateError(undefined), undefined);
  });

  it('has every setting in one group', () => {
    const settings = removeNullDefaults(declarations.scanSettings);
    assert.ok(settings.length > 20);
    assert.ok(settings.every((setting) => setting.default !== null));
    const names = settingGroups(settings).flatMap(({ parameters }) => parameters.map(({ name }) => name));
    assert.deepEqual(names.toSorted(), settings.map(({ name }) => name).toSorted());
  });
});
