import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCli } from '../../cli/program.ts';
import { createAuthenticate } from '../../server/account/authenticate.ts';
import { SETTINGS } from '../../server/config.ts';
import { openDatabase } from '../../storage/sqlite/database.ts';
import { failureOf } from '../support/failure.ts';
import { withFolder } from '../support/folder.ts';
import { makeBucket, WITHOUT_S3, WRITER } from '../support/s3/s3-server.ts';
import { withService } from '../support/service.ts';

interface Run {
  status: number;
  out: string;
  err: string;
}

/** Runs `work` with a function that runs one command on the data folder; its arguments are split at spaces. */
async function withCli(
  work: (run: (command: string, env?: Record<string, string>) => Promise<Run>, dataDir: string) => Promise<void>,
) {
  await withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    await work(async (command, env = {}) => {
      const written = { out: '', err: '' };
      const status = await runCli(command.split(' '), {
        env: { IC_DATA_DIR: dataDir, ...env },
        out: (text) => {
          written.out += text;
        },
        err: (text) => {
          written.err += text;
        },
      });
      return { status, ...written };
    }, dataDir);
  });
}

/** Parses the single line of JSON that a command printed. */
function recordOf({ status, out, err }: Run): Record<string, unknown> {
  assert.equal(err, '');
  assert.equal(status, 0);
  assert.equal(out.split('\n').length, 2);
  return JSON.parse(out) as Record<string, unknown>;
}

function linesOf({ out }: Run): Record<string, unknown>[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('admin account', () => {
  it('creates, lists and changes accounts', async () => {
    await withCli(async (run) => {
      const anna = recordOf(await run('admin account create --name anna --plan free --email anna@example.com'));
      assert.deepEqual(
        { ...anna },
        { ...anna, name: 'anna', email: 'anna@example.com', plan: 'free', disabled: false },
      );
      assert.match(String(anna.id), /^acct_[0-9A-Z]{26}$/);
      const ben = recordOf(await run('admin account create --name ben --plan pro'));
      assert.equal(ben.email, null);
      assert.deepEqual(linesOf(await run('admin account list')), [anna, ben]);

      const changed = recordOf(await run('admin account update --account anna --plan pro --disable'));
      assert.deepEqual(changed, { ...anna, plan: 'pro', disabled: true });
      const enabled = recordOf(await run(`admin account update --account ${anna.id} --enable --email a@example.com`));
      assert.deepEqual(enabled, { ...anna, plan: 'pro', email: 'a@example.com' });
      assert.deepEqual(linesOf(await run('admin account list')), [enabled, ben]);
    });
  });

  it('explains in one sentence what it cannot do', async () => {
    await withCli(async (run) => {
      await run('admin account create --name anna --plan free');
      assert.deepEqual(await run('admin account create --name anna --plan pro'), {
        status: 1,
        out: '',
        err: 'Expected a name that no other account has for name but received "anna".\n',
      });
      assert.deepEqual(await run('admin account update --account ben --plan pro'), {
        status: 1,
        out: '',
        err: 'Expected the name or id of an account for --account but received "ben".\n',
      });
    });
  });
});

describe('admin key', () => {
  it('creates keys that work until they are revoked', async () => {
    await withCli(async (run, dataDir) => {
      recordOf(await run('admin account create --name anna --plan free'));
      const { key, ...record } = recordOf(await run('admin key create --account anna --name site --monthly-limit 500'));
      assert.match(String(key), /^ic_live_[0-9A-Za-z]{38}$/);
      assert.equal(record.prefix, String(key).slice(0, 12));
      assert.deepEqual(record.scopes, ['ai', 'sites']);
      assert.equal(record.monthly_limit, 500);
      assert.equal(record.name, 'site');

      // The server's view: a separate connection that stays open while the commands run.
      const database = await openDatabase(dataDir);
      const authenticate = createAuthenticate(database);
      assert.equal((await authenticate(`Bearer ${key}`)).account.name, 'anna');
      const revoked = recordOf(await run(`admin key revoke ${record.id}`));
      assert.notEqual(revoked.revoked_at, null);
      await failureOf('invalid_key', () => authenticate(`Bearer ${key}`));
      await database.close();

      const [listed] = linesOf(await run('admin key list'));
      assert.equal(listed?.revoked_at, revoked.revoked_at);
      assert.equal(listed?.key, undefined);
      assert.equal(listed?.hash, undefined);
    });
  });

  it('sets the scopes, expiry and mode of a key', async () => {
    await withCli(async (run) => {
      recordOf(await run('admin account create --name anna --plan free'));
      const create = async (options: string) => recordOf(await run(`admin key create --account anna ${options}`));
      assert.deepEqual((await create('--scopes ai,sites,admin')).scopes, ['ai', 'sites', 'admin']);
      assert.deepEqual((await create('--scopes=')).scopes, []);
      assert.equal((await create('--expires-at 2999-01-31T12:00:00+02:00')).expires_at, '2999-01-31T10:00:00.000Z');
      const test = await create('--test');
      assert.equal(test.mode, 'test');
      assert.match(String(test.key), /^ic_test_/);
    });
  });

  it('lists the keys of one account', async () => {
    await withCli(async (run) => {
      recordOf(await run('admin account create --name anna --plan free'));
      const ben = recordOf(await run('admin account create --name ben --plan free'));
      await run('admin key create --account anna');
      await run('admin key create --account ben');
      assert.equal(linesOf(await run('admin key list')).length, 2);
      const accountIds = linesOf(await run('admin key list --account ben')).map(({ account_id }) => account_id);
      assert.deepEqual(accountIds, [ben.id]);
      assert.equal((await run('admin key list --account carl')).status, 1);
      assert.equal((await run('admin key revoke key_none')).status, 1);
    });
  });
});

describe('admin package', () => {
  it('grants packages in addition to those of the account', async () => {
    await withCli(async (run, dataDir) => {
      const anna = recordOf(await run('admin account create --name anna --plan pro'));
      for (const [name, account, pages] of [
        ['site_1k', 'anna', 1000],
        ['site_3k', anna.id, 3000],
        ['site_10k', 'anna', 10_000],
        ['site_50k', 'anna', 50_000],
      ]) {
        const { id, bought_at, ...rest } = recordOf(
          await run(`admin package grant --account ${account} --package ${name}`),
        );
        assert.match(String(id), /^pkg_[0-9A-Z]{26}$/);
        assert.match(String(bought_at), /^20.+Z$/);
        assert.deepEqual(rest, {
          package: name,
          pages_total: pages,
          pages_left: pages,
          expires_at: null,
          account_id: anna.id,
        });
      }
      const database = await openDatabase(dataDir);
      const left = (await database.packages.list(String(anna.id))).map(({ pagesLeft }) => pagesLeft);
      await database.close();
      assert.deepEqual(new Set(left), new Set([1000, 3000, 10_000, 50_000]));
    });
  });

  it('says in one sentence that the account does not exist', async () => {
    await withCli(async (run) => {
      assert.deepEqual(await run('admin package grant --account ben --package site_1k'), {
        status: 1,
        out: '',
        err: 'Expected the name or id of an account for --account but received "ben".\n',
      });
    });
  });
});

describe('the admin commands while the service runs', () => {
  it('take effect on the next request', async () => {
    await withService(async ({ services, origin }) => {
      const lines: string[] = [];
      const run = async (command: string): Promise<Record<string, unknown>> => {
        const status = await runCli(command.split(' '), {
          env: { IC_DATA_DIR: services.config.dataDir },
          out: (text) => lines.push(text),
          err: (text) => lines.push(text),
        });
        assert.equal(status, 0, lines.at(-1));
        return JSON.parse(lines.at(-1) ?? '');
      };
      await run('admin account create --name carl --plan free');
      const { key, ...record } = await run('admin key create --account carl --scopes admin --monthly-limit 2');
      assert.equal(record.used, 0);
      const call = async (method: string, path: string) => {
        const answer = await fetch(origin + path, {
          method,
          headers: { authorization: `Bearer ${key}` },
          ...(method === 'POST' ? { body: 'abc' } : {}),
        });
        return { status: answer.status, policy: answer.headers.get('ratelimit-policy'), text: await answer.text() };
      };
      assert.equal((await call('POST', '/api/v1/compress')).status, 200);
      const { account_id, last_used_at, ...listed } = await run('admin key list --account carl');
      assert.deepEqual(listed, { ...listed, id: record.id, used: 1, monthly_limit: 2 });
      assert.deepEqual(JSON.parse((await call('GET', '/api/v1/keys')).text), { keys: [{ ...listed, last_used_at }] });

      await run('admin account update --account carl --plan pro');
      assert.match((await call('GET', '/api/v1/formats')).policy ?? '', /"minute";q=600/);
      await run('admin account update --account carl --disable');
      assert.equal((await call('GET', '/api/v1/formats')).status, 401);
      await run('admin account update --account carl --enable');
      assert.equal((await call('GET', '/api/v1/formats')).status, 200);
      await run('admin package grant --account carl --package site_3k');
      assert.equal((await services.database.packages.list(String(account_id)))[0]?.pagesLeft, 3000);
      assert.equal((await run(`admin key revoke ${record.id}`)).used, 1);
      assert.equal((await call('GET', '/api/v1/formats')).status, 401);
    });
  });
});

describe('invalid usage', () => {
  for (const command of [
    'frobnicate',
    'admin account create --name anna',
    'admin account create --name anna --plan free --email anna',
    'admin account create --name anna --plan free --colour red',
    'admin account update --account anna --disable --enable',
    'admin key create',
    'admin key create --account anna --scopes root',
    'admin key create --account anna --monthly-limit 0',
    'admin key create --account anna --monthly-limit 1e3',
    'admin key create --account anna --monthly-limit 5 --test',
    'admin key create --account anna --expires-at tomorrow',
    'admin key create --account anna --expires-at 2020-01-01T00:00:00Z',
    'admin key create --account anna --expires-at 9999-12-31T23:59:59-12:00',
    'admin key create --account anna --monthly-limit 1000000001',
    'admin key revoke',
    'admin package grant --account anna',
    'admin package grant --package site_1k',
    'admin package grant --account anna --package site_2k',
  ]) {
    it(`exits with 2: ${command}`, async () => {
      await withCli(async (run, dataDir) => {
        const { status, out, err } = await run(command);
        assert.equal(status, 2);
        assert.equal(out, '');
        assert.match(err, /^error: /);
        assert.equal(existsSync(dataDir), false);
      });
    });
  }
});

describe('config', () => {
  it('prints every setting and no secrets', async () => {
    await withCli(async (run) => {
      const { status, out } = await run('config', { IC_PORT: '9000', IC_ADMIN_TOKEN: 'correct-horse' });
      assert.equal(status, 0);
      for (const { env, meaning } of Object.values(SETTINGS)) {
        assert.match(out, new RegExp(`^${env}=`, 'm'));
        assert.ok(out.includes(meaning));
      }
      assert.match(out, /^IC_PORT=9000\n.+\n.+default: 8080[.]$/m);
      assert.match(out, /^IC_ADMIN_TOKEN=\*{3}$/m);
      assert.doesNotMatch(out, /correct-horse/);
    });
  });

  it('explains an invalid setting', async () => {
    await withCli(async (run) => {
      assert.deepEqual(await run('config', { IC_PORT: 'http', IC_PROT: '1' }), {
        status: 1,
        out: '',
        err:
          'Expected an integer from 0 to 65535 for IC_PORT but received "http".\n' +
          'Expected the name of a setting for the environment but received "IC_PROT". Did you mean IC_PORT?\n',
      });
    });
  });
});

describe('doctor', () => {
  it('prints versions, formats and whether the data folder is writable', async () => {
    await withCli(async (run, dataDir) => {
      const { status, out } = await run('doctor', { IC_WORKERS: '3', IC_PORT: '0' });
      assert.equal(status, 0);
      assert.match(out, /versions: imagecrew \d+[.]\d+[.]\d+, Node /);
      assert.match(out, /workers: 3 on /);
      assert.match(out, /reads: JPEG, PNG, /);
      assert.match(out, /\[ok\] +data folder: /);
      assert.equal(existsSync(dataDir), false);
    });
  });

  it('fails if the data folder is a file', async () => {
    await withCli(async (run) => {
      const { status, out, err } = await run('doctor', { IC_DATA_DIR: import.meta.filename, IC_PORT: '0' });
      assert.equal(status, 1);
      assert.match(out, /\[fail\] data folder: /);
      assert.equal(err, 'Expected every check to pass but these failed: data folder.\n');
    });
  });

  it('tries the store of files', { skip: WITHOUT_S3 }, async () => {
    const { env, config, keys } = await makeBucket();
    await withCli(async (run) => {
      assert.match((await run('doctor')).out, /^ {7}store of files: the data folder$/m);
      const host = new URL(config.s3Endpoint!).host;
      const { out } = await run('doctor', env);
      assert.ok(out.includes(`[ok]   store of files: ${env.IC_STORAGE_URL} at ${host}\n`), out);
      assert.deepEqual(await keys(), []);
      const wrong = await run('doctor', { ...env, IC_STORAGE_URL: 's3://no-such-bucket' });
      assert.equal(wrong.status, 1);
      assert.match(wrong.out, /^\[fail\] store of files: Expected a bucket that exists in IC_STORAGE_URL but /m);
      const shown = await run('config', env);
      assert.ok(!Object.values(WRITER).some((secret) => (out + wrong.out + wrong.err + shown.out).includes(secret)));
    });
  });
});
