import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Plans } from '../../../server/account/plans.ts';
import type { Account } from '../../../storage/records/accounts.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { withService } from '../../support/service.ts';

function account(plan: string): Account {
  return { id: 'acct_1', name: 'anna', email: null, plan, disabled: false, createdAt: '2026-11-21T05:20:00.000Z' };
}

function key(mode: Key['mode']): Key {
  const none = { monthlyLimit: null, limitedBy: [], lastUsedAt: null, expiresAt: null, revokedAt: null };
  return { id: 'key_1', accountId: 'acct_1', name: '', mode, prefix: '', hash: '', scopes: [], createdAt: '', ...none };
}

describe('plans', () => {
  const plans = new Plans();

  it('limit the file size by plan and by type of key', () => {
    assert.equal(plans.fileLimitBytes(account('free'), key('live')), 20_000_000);
    assert.equal(plans.fileLimitBytes(account('pro'), key('live')), 200_000_000);
    assert.equal(plans.fileLimitBytes(account('pro'), key('test')), 1_000_000);
    assert.equal(plans.fileLimitBytes(account('free'), key('test')), 1_000_000);
  });

  it('give an account with an unknown plan the limits of everybody', () => {
    for (const name of ['constructor', '__proto__', 'gone', ''])
      assert.equal(plans.of(account(name)), plans.of(account('free')));
    const changed = new Plans({ free: { requests_per_month: 5 } });
    assert.equal(changed.of(account('gone')).requests_per_month, 5);
  });

  it('are found by name', async () => {
    plans.check('pro');
    for (const name of ['Pro', '__proto__', 'constructor', '']) {
      const { message, param } = await failureOf('invalid_parameter', () => plans.check(name));
      assert.equal(message, `Expected one of free, pro for plan but received "${name}".`);
      assert.equal(param, 'plan');
    }
  });

  it('refuse Pro features to a free account', async () => {
    plans.requirePro(account('pro'), 'watermark_image');
    const failure = await failureOf('upgrade_required', () => plans.requirePro(account('free'), 'watermark_image'));
    assert.equal(failure.status, 403);
    assert.equal(failure.param, 'watermark_image');
    assert.equal(failure.message, 'Expected an account with the plan pro for watermark_image but received "free".');
  });
});

/** Loads the plans from a file with this text. */
async function read(text: string): Promise<Plans> {
  return await withFolder(async (dataDir) => {
    const plansFile = join(dataDir, 'mine.json');
    await writeFile(plansFile, text);
    return await Plans.load({ plansFile, dataDir });
  });
}

const readJson = (value: unknown) => read(JSON.stringify(value));

/** Returns the error message for an invalid file. */
async function refusal(text: string): Promise<string> {
  return (await failureOf('invalid_parameter', () => read(text))).message;
}

const refusalOfJson = (value: unknown) => refusal(JSON.stringify(value));

describe('the plans file', () => {
  const [free, pro] = ['free', 'pro'].map((name) => new Plans().of(account(name)));

  it('adds a plan that inherits from free all that it does not set', async () => {
    const plans = await readJson({ studio: { requests_per_month: 5000, features: ['jobs'] } });
    assert.deepEqual(plans.names, ['free', 'pro', 'studio']);
    assert.deepEqual(plans.of(account('studio')), { ...free, requests_per_month: 5000, features: ['jobs'] });
    assert.deepEqual(plans.of(account('free')), free);
    plans.check('studio');
  });

  it('bases a plan on another, and keeps the Pro features', async () => {
    const plans = await readJson({ studio: { based_on: 'pro', file_bytes: 500_000_000 }, same: { based_on: 'free' } });
    assert.deepEqual(plans.of(account('studio')), { ...pro, file_bytes: 500_000_000 });
    assert.deepEqual(plans.of(account('same')), free);
    plans.requirePro(account('studio'), 'pipelines');
  });

  it('changes part of free or pro, and keeps the rest', async () => {
    const plans = await readJson({ free: { file_bytes: 5 }, pro: { websites: 0, features: [] } });
    assert.deepEqual(plans.of(account('free')), { ...free, file_bytes: 5 });
    assert.deepEqual(plans.of(account('pro')), { ...pro, websites: 0, features: [] });
    // One service must not change the plans of another.
    assert.deepEqual(new Plans().of(account('free')), free);
  });

  it('bases new plans on the built-in free and pro', async () => {
    const plans = await readJson({ free: { file_bytes: 5 }, studio: { websites: 2 } });
    assert.deepEqual(plans.of(account('studio')), { ...free, websites: 2 });
  });

  it('accepts null for no limit where that is allowed', async () => {
    const open = { requests_per_month: null, ai_requests_per_month: null, requests_per_minute: null };
    assert.deepEqual((await readJson({ open })).of(account('open')), { ...free, ...open });
    assert.equal(
      await refusalOfJson({ open: { file_bytes: null } }),
      'Expected an integer from 1 to 999999999999999 for open.file_bytes in IC_PLANS_FILE but received null.',
    );
  });

  it('accepts the bounds of each field and rejects values beyond', async () => {
    const least = {
      requests_per_month: 0,
      requests_per_minute: 1,
      job_images_multipart: 0,
      file_bytes: 1,
      scan_assets: 0,
      scan_bytes: 0,
      running_scans: 1,
      scan_keep_days: 1,
    };
    const most = { requests_per_month: 999_999_999_999_999, job_images_multipart: 20, scan_keep_days: 36_500 };
    assert.deepEqual((await readJson({ a: least })).of(account('a')), { ...free, ...least });
    assert.deepEqual((await readJson({ a: most })).of(account('a')), { ...free, ...most });
    for (const wrong of [
      { running_scans: 0 },
      { scan_keep_days: 0 },
      { scan_keep_days: 36_501 },
      { scan_assets: -1 },
      { requests_per_month: -1 },
      { requests_per_month: 1_000_000_000_000_000 },
      { requests_per_month: 1.5 },
      { requests_per_minute: 0 },
      { file_bytes: 0 },
      { job_images_multipart: 21 },
    ])
      assert.match(await refusalOfJson({ a: wrong }), /^Expected an integer from [0-9]+ to [0-9]+/);
  });

  it('names the error and its place', async () => {
    const wrong = async (studio: unknown) => await refusalOfJson({ studio });
    assert.equal(
      await wrong({ requests_per_month: 'many' }),
      'Expected an integer from 0 to 999999999999999 or null for studio.requests_per_month in IC_PLANS_FILE but received "many".',
    );
    assert.equal(
      await wrong({ requests_per_month: '5' }),
      'Expected an integer from 0 to 999999999999999 or null for studio.requests_per_month in IC_PLANS_FILE but received "5".',
    );
    assert.equal(
      await wrong({ features: ['jobs', 'everything'] }),
      'Expected a list whose items are each one of pipelines, jobs, background_image, watermark_image for studio.features in IC_PLANS_FILE but received ["jobs","everything"].',
    );
    assert.equal(
      await wrong({ based_on: 'studio' }),
      'Expected one of free, pro for studio.based_on in IC_PLANS_FILE but received "studio".',
    );
    assert.match(
      await wrong({ request_per_month: 5 }),
      /^Expected a field of plans for studio in IC_PLANS_FILE but received "request_per_month"[.]$/,
    );
    assert.equal(await wrong(5), 'Expected an object for studio in IC_PLANS_FILE but received 5.');
    assert.equal(await wrong(null), 'Expected an object for studio in IC_PLANS_FILE but received null.');
  });

  it('rejects names that could be confused with others', async () => {
    for (const name of ['Pro', 'my plan', '', '1a', 'ü', 'a'.repeat(41), 'a\n', 'constructor '])
      assert.match(await refusalOfJson({ [name]: {} }), /for the name of a plan in IC_PLANS_FILE but received "/);
    assert.equal(
      await refusal('{"__proto__": {"requests_per_month": null}}'),
      'Expected at most 40 of a-z, 0-9, _ and -, a letter first, for the name of a plan in IC_PLANS_FILE but received "__proto__".',
    );
    assert.match(
      await refusal('{"a": {"__proto__": {"websites": 9}}}'),
      /^Expected a field of plans for a in .+ received "__proto__"[.]$/,
    );
    assert.match(
      await refusal('{"a": {"constructor": 1}}'),
      /^Expected a field of plans for a in .+ received "constructor"[.]$/,
    );
    const plans = await readJson({ constructor: { websites: 3 } });
    assert.equal(plans.of(account('constructor')).websites, 3);
  });

  it('rejects invalid JSON and JSON that is not an object', async () => {
    assert.equal(
      await refusal('{\n  "free": {},\n}'),
      'Expected JSON in IC_PLANS_FILE but it is invalid in line 3, column 1.',
    );
    assert.equal(await refusal(''), 'Expected JSON in IC_PLANS_FILE but it is invalid in line 1, column 1.');
    for (const text of ['[]', 'null', '5', '"free"'])
      assert.match(await refusal(text), /^Expected an object of plans by their names for IC_PLANS_FILE but received /);
  });

  it('must exist when it is configured, and is optional in the data folder', async () => {
    await withFolder(async (dataDir) => {
      const missing = await failureOf('invalid_parameter', () =>
        Plans.load({ plansFile: join(dataDir, 'mine.json'), dataDir }),
      );
      assert.match(
        missing.message,
        /^Expected a file that can be read \(ENOENT\) for IC_PLANS_FILE but received ".+mine.json"/,
      );
      assert.deepEqual((await Plans.load({ plansFile: undefined, dataDir })).names, ['free', 'pro']);
      await writeFile(join(dataDir, 'plans.json'), '{"studio": {"websites": "2"}}');
      const wrong = await failureOf('invalid_parameter', () => Plans.load({ plansFile: undefined, dataDir }));
      assert.match(wrong.message, /for studio[.]websites in plans[.]json in IC_DATA_DIR but received "2"[.]$/);
      assert.equal(wrong.hint, `The file is ${join(dataDir, 'plans.json')}.`);
      await writeFile(join(dataDir, 'plans.json'), '{"studio": {"web_sites": 2}}');
      const misspelt = await failureOf('invalid_parameter', () => Plans.load({ plansFile: undefined, dataDir }));
      assert.match(misspelt.hint ?? '', /^Did you mean websites\? The file is /);
      await writeFile(join(dataDir, 'plans.json'), '{"studio": {"websites": 2}}');
      assert.deepEqual((await Plans.load({ plansFile: undefined, dataDir })).names, ['free', 'pro', 'studio']);
      await mkdir(join(dataDir, 'folder'));
      const folder = await failureOf('invalid_parameter', () =>
        Plans.load({ plansFile: join(dataDir, 'folder'), dataDir }),
      );
      assert.match(
        folder.message,
        /^Expected a file that can be read \(EISDIR\) for IC_PLANS_FILE but received ".+folder"/,
      );
    });
  });

  it('applies to requests', async () => {
    await withFolder(async (folder) => {
      const file = join(folder, 'plans.json');
      await writeFile(
        file,
        JSON.stringify({ free: { requests_per_month: 0, file_bytes: 4 }, wide: { file_bytes: 5 } }),
      );
      await withService(
        async ({ call, services }) => {
          const send = async (body: string) => {
            const answer = await call('/api/v1/compress', { method: 'POST', body });
            await answer.arrayBuffer();
            return answer.status;
          };
          assert.equal(await send('abcd'), 429);
          const { id } = (await services.database.accounts.findByName('anna'))!;
          await services.database.accounts.update(id, { plan: 'wide' });
          assert.deepEqual([await send('abcde'), await send('abcdef')], [200, 413]);
          // A plan that no longer exists falls back to the free plan.
          await services.database.accounts.update(id, { plan: 'gone' });
          assert.equal(await send('abcd'), 429);
        },
        { env: { IC_PLANS_FILE: file } },
      );
    });
  });
});
