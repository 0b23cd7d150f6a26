import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { runCliHere } from '../support/cli.ts';
import { withFolder } from '../support/folder.ts';
import { PASSWORD, POSTGRES_MISSING, startPostgres, type TestServer } from '../support/postgres.ts';
import { openServed } from '../support/serve-process.ts';
import { jpeg, pattern } from '../support/test-images.ts';

describe('with IC_DATABASE_URL', { skip: POSTGRES_MISSING ?? false }, () => {
  let server: TestServer;
  before(async () => {
    server = await startPostgres();
  });

  const run = (command: string, env: Record<string, string>) => runCliHere(command.split(' '), { cwd: tmpdir(), env });

  it('commands work on that database, and print no password', async () => {
    await withFolder(async (folder) => {
      const env = { IC_DATA_DIR: folder, IC_DATABASE_URL: await server.create() };
      const created = await run('admin account create --name anna --plan free', env);
      assert.equal(created.status, 0, created.err);
      assert.equal((await server.run('select name from accounts', env.IC_DATABASE_URL))[0]?.name, 'anna');
      const doctor = await run('doctor', env);
      assert.match(doctor.out, /\[ok\] {3}database: PostgreSQL \d+[^ ]*, postgres:\/\/imagecrew:\*\*\*@/);
      const config = await run('config', env);
      assert.match(config.out, /IC_DATABASE_URL.*\*\*\*/);
      for (const { out, err } of [created, doctor, config]) assert.ok(!`${out}${err}`.includes(PASSWORD));
    });
  });

  it('doctor says why the database cannot be used', async () => {
    await withFolder(async (folder) => {
      const { status, out } = await run('doctor', { IC_DATA_DIR: folder, IC_DATABASE_URL: server.url('none') });
      assert.equal(status, 1);
      assert.match(out, /\[fail\] database: .*\(database "none" does not exist\)/);
    });
  });

  it('a wrong address is refused without being repeated', async () => {
    for (const url of [
      'mysql://ic:geheim@db/name',
      'postgres://ic:geheim@db',
      'postgres://ic:geheim@db/a/b',
      'geheim',
    ]) {
      const { status, err } = await run('doctor', { IC_DATABASE_URL: url });
      assert.notEqual(status, 0, url);
      assert.match(err, /Expected an address like postgres:\/\/.* for IC_DATABASE_URL but received "\*\*\*"/, url);
    }
  });

  it('backups are refused', async () => {
    await withFolder(async (folder) => {
      const env = { IC_DATA_DIR: folder, IC_DATABASE_URL: server.url('none') };
      for (const command of [`admin backup ${join(folder, 'a.tar')}`, `admin restore ${join(folder, 'a.tar')}`]) {
        const { status, err } = await run(command, env);
        assert.equal(status, 1);
        assert.match(err, /Expected a database in IC_DATA_DIR but IC_DATABASE_URL names a server\.[\s\S]*pg_dump/);
      }
    });
  });

  it('two servers count together, one goes on when the other is killed, and both when the database is back', async () => {
    await withFolder(async (folder) => {
      const url = await server.create();
      const image = new Uint8Array(await jpeg(pattern(40, 30)));
      const open = (name: string) => openServed(join(folder, name), { IC_DATABASE_URL: url });
      const one = await open('one');
      const other = await open('other');
      const call = (address: string, path: string, init: RequestInit = {}) =>
        fetch(`${address}${path}`, {
          ...init,
          headers: { authorization: `Bearer ${one.key}`, 'content-type': 'image/jpeg' },
        });
      const compress = async (address: string) => {
        const response = await call(address, '/api/v1/compress', { method: 'POST', body: image });
        await response.arrayBuffer();
        return response.status;
      };
      const used = async () =>
        (await server.run("select requests from meters where subject like 'acct%'", url)).map(
          ({ requests }) => requests,
        );
      try {
        assert.equal(other.key, '', 'the first one has made the account');
        assert.deepEqual(
          await Promise.all([one, other, one, other].map(({ address }) => compress(address))),
          [200, 200, 200, 200],
        );
        assert.deepEqual(await used(), ['4']);
        await other.close();
        assert.equal(await compress(one.address), 200);
        await server.stop();
        assert.equal(await compress(one.address), 503);
        assert.equal((await call(one.address, '/readyz')).status, 503);
        assert.equal((await call(one.address, '/healthz')).status, 200);
        await server.start();
        assert.equal(await compress(one.address), 200);
        assert.equal((await call(one.address, '/readyz')).status, 200);
        assert.deepEqual(await used(), ['6']);
      } finally {
        await one.close();
        await other.close();
      }
    });
  });
});
