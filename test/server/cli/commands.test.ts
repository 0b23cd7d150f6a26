import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createAuthenticate } from '../../../server/account/authenticate.ts';
import { runCli } from '../../../server/cli/program.ts';
import { SETTINGS } from '../../../server/config.ts';
import { openDatabase } from '../../../storage/database.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';

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

/** The one line of JSON that a command printed. */
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
  it('makes, lists and changes accounts', async () => {
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

  it('says in one sentence what it cannot do', async () => {
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
  it('makes keys that open the door until they are revoked', async () => {
    await withCli(async (run, dataDir) => {
      recordOf(await run('admin account create --name anna --plan free'));
      const { key, ...record } = recordOf(await run('admin key create --account anna --name site --monthly-limit 500'));
      assert.match(String(key), /^ic_live_[0-9A-Za-z]{38}$/);
      assert.equal(record.prefix, String(key).slice(0, 12));
      assert.deepEqual(record.scopes, ['ai', 'sites']);
      assert.equal(record.monthly_limit, 500);
      assert.equal(record.name, 'site');

      // The server's view, in a connection of its own that stays open while the commands run.
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

  it('takes scopes, an end and the kind of a key', async () => {
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

describe('wrong usage', () => {
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
    'admin key revoke',
  ]) {
    it(`ends with status 2: ${command}`, async () => {
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
  it('prints every setting and no secret', async () => {
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

  it('says what is wrong with a setting', async () => {
    await withCli(async (run) => {
      assert.deepEqual(await run('config', { IC_PORT: 'http', IC_PROT: '1' }), {
        status: 1,
        out: '',
        err:
          'Expected an integer from 0 to 65535 for IC_PORT but received "http".\n' +
          'Expected the name of a setting for the environment but received "IC_PROT".\n',
      });
    });
  });
});

describe('doctor', () => {
  it('tells versions, formats and whether the data folder can be written', async () => {
    await withCli(async (run, dataDir) => {
      const { status, out } = await run('doctor', { IC_WORKERS: '3' });
      assert.equal(status, 0);
      assert.match(out, /versions: imagecrew \d+[.]\d+[.]\d+, Node /);
      assert.match(out, /workers: 3 on /);
      assert.match(out, /reads: JPEG, PNG, /);
      assert.match(out, /\[ok\] +data folder: /);
      assert.equal(existsSync(dataDir), false);
    });
  });

  it('fails on a data folder that is a file', async () => {
    await withCli(async (run) => {
      const { status, out, err } = await run('doctor', { IC_DATA_DIR: import.meta.filename });
      assert.equal(status, 1);
      assert.match(out, /\[fail\] data folder: /);
      assert.equal(err, 'Expected every check to pass but these failed: data folder.\n');
    });
  });
});
