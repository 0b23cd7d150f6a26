import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkPostgres, openPostgres } from '../../../storage/postgres/database.ts';
import { failureOf } from '../../support/failure.ts';
import { PASSWORD, POSTGRES_MISSING, startPostgres, type TestServer } from '../../support/postgres.ts';

const ANNA = { name: 'anna', email: null, plan: 'free' };

describe('a database on a PostgreSQL server', { skip: POSTGRES_MISSING ?? false }, () => {
  let server: TestServer;
  before(async () => {
    server = await startPostgres();
  });

  /** The message of the failure to open a database, which must not contain the password. */
  async function refusal(url: string): Promise<string> {
    const { message } = await failureOf('internal_error', () => openPostgres(url));
    assert.equal((await failureOf('internal_error', () => checkPostgres(url))).message, message);
    assert.doesNotMatch(message, /geheim/);
    return message;
  }

  it('gets its tables from the first of several processes, and keeps what is written', async () => {
    const url = await server.create();
    const opened = await Promise.all([1, 2, 3].map(() => openPostgres(url)));
    const { id } = await opened[0]!.accounts.create(ANNA);
    assert.equal((await opened[2]!.accounts.find(id))?.name, 'anna');
    for (const each of opened) await each.close();
    const again = await openPostgres(url);
    assert.equal((await again.accounts.find(id))?.name, 'anna');
    await again.close();
    assert.match(await checkPostgres(url), /^\d+(?:\.\d+)*$/);
  });

  it('has its tables in the schema that the address names', async () => {
    const url = await server.create();
    await server.run('create schema images', url);
    await server.run('create table pictures (id text)', url);
    const database = await openPostgres(`${url}?options=-c%20search_path%3Dimages`);
    await database.accounts.create(ANNA);
    await database.close();
    const tables = await server.run("select 1 from information_schema.tables where table_schema = 'images'", url);
    assert.ok(tables.length > 20);
  });

  it('is not opened when it is of a newer version, of another program, or not in UTF-8', async () => {
    const newer = await server.create();
    await (await openPostgres(newer)).close();
    await server.run("insert into kysely_migration values ('9999_later', '2999-01-01T00:00:00.000Z')", newer);
    assert.match(await refusal(newer), /^Expected a database of this version or an older one but postgres:\/\//);

    const foreign = await server.create();
    await server.run('create table pictures (id text)', foreign);
    assert.match(await refusal(foreign), /has the tables of another program. Set IC_DATABASE_URL to a database of /);

    await server.run("create database latin template template0 encoding 'LATIN1' locale 'C'");
    assert.match(await refusal(server.url('latin')), /\(its encoding must be UTF8: /);
  });

  it('is not opened with a wrong password, name or port, and the message says which', async () => {
    const url = await server.create();
    assert.match(
      await refusal(url.replace(PASSWORD, 'wrong')),
      /^Expected a PostgreSQL database that can be used \(password authentication failed for user "imagecrew"\) for IC_DATABASE_URL but received "postgres:\/\/imagecrew:\*\*\*@/,
    );
    assert.match(await refusal(server.url('none')), /\(database "none" does not exist\)/);
    assert.match(await refusal(url.replace(':5432', ':5433')), /\(connect ENOENT /);
    assert.match(await refusal(`postgres://imagecrew:${PASSWORD}@127.0.0.1:1/test_1`), /\(connect ECONNREFUSED /);
  });

  it('answers with 503 while the server is away, and works again when it is back', async () => {
    const database = await openPostgres(await server.create());
    await database.accounts.create(ANNA);
    await server.stop();
    const failure = await failureOf('overloaded', () => database.accounts.list());
    assert.equal(failure.message, 'Expected an answer from the database but it cannot be reached.');
    assert.equal(failure.retryAfter, 5);
    await failureOf('overloaded', () => database.transaction(({ accounts }) => accounts.list()));
    await failureOf('overloaded', () => database.ping());
    await server.start();
    assert.deepEqual(
      (await database.accounts.list()).map(({ name }) => name),
      ['anna'],
    );
    assert.equal(await database.transaction(({ accounts }) => accounts.any()), true);
    await database.close();
  });

  it('rolls back a transaction whose connection is lost', async () => {
    const url = await server.create();
    const database = await openPostgres(url);
    await failureOf('overloaded', () =>
      database.transaction(async ({ accounts }) => {
        await accounts.create(ANNA);
        await server.run(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          url,
        );
        await accounts.list();
      }),
    );
    assert.equal(await database.transaction(({ accounts }) => accounts.any()), false);
    await database.close();
  });
});
