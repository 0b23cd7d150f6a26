import { type Command, Option } from 'commander';
import { keyNotFound } from '../server/account/errors.ts';
import { DEFAULT_KEY_NAME } from '../server/account/fields.ts';
import { DEFAULT_SCOPES, issueKey, type Scope, withUse } from '../server/account/keys.ts';
import { monthOf } from '../server/account/period.ts';
import { keyRecord } from '../server/account/records.ts';
import type { UsedKey } from '../storage/records/keys.ts';
import * as argument from './arguments.ts';
import { accountNamed, withDatabase } from './database.ts';
import { type Io, printRecord } from './io.ts';

interface CreateOptions {
  account: string;
  name: string;
  scopes: readonly Scope[];
  test?: true;
  monthlyLimit?: number;
  expiresAt?: string;
}

export function addKeyCommands(admin: Command, io: Io): void {
  const key = admin.command('key').description('make and revoke keys');

  key
    .command('create')
    .description('make a key; it is printed this once and never again')
    .requiredOption('--account <account>', 'name or id of the account')
    .option('--name <name>', 'what the key is for', argument.keyName, DEFAULT_KEY_NAME)
    .addOption(
      new Option('--scopes <scopes>', 'what the key may do, of ai, sites, admin')
        .argParser(argument.scopes)
        .default(DEFAULT_SCOPES, DEFAULT_SCOPES.join(',')),
    )
    .option('--test', 'make a test key, which uses no quota and takes small files only')
    .addOption(
      new Option('--monthly-limit <requests>', 'requests that the key may use in a month')
        .argParser(argument.monthlyLimit)
        .conflicts('test'),
    )
    .option('--expires-at <time>', 'when the key ends', argument.moment)
    .action(async ({ account, name, scopes, test, monthlyLimit, expiresAt }: CreateOptions) => {
      await withDatabase(io, async ({ accounts, keys }) => {
        const issued = await issueKey(keys, {
          accountId: (await accountNamed(accounts, account)).id,
          name,
          mode: test ? 'test' : 'live',
          scopes,
          monthlyLimit: monthlyLimit ?? null,
          expiresAt: expiresAt ?? null,
        });
        printRecord(io, { ...recordOf({ ...issued.record, used: 0 }), key: issued.key });
      });
    });

  key
    .command('list')
    .description('print the keys of an account, or of all, one per line')
    .option('--account <account>', 'name or id of the account')
    .action(async ({ account }: { account?: string }) => {
      await withDatabase(io, async ({ accounts, keys }) => {
        const accountId = account === undefined ? undefined : (await accountNamed(accounts, account)).id;
        for (const each of await keys.list(monthOf(Date.now()).id, accountId)) printRecord(io, recordOf(each));
      });
    });

  key
    .command('revoke')
    .description('refuse a key from now on')
    .argument('<id>', 'id of the key')
    .action(async (id: string) => {
      await withDatabase(io, async ({ keys, meters }) => {
        const revoked = await keys.revoke(id);
        if (!revoked) throw keyNotFound(id);
        printRecord(io, recordOf(await withUse(meters, revoked, Date.now())));
      });
    });
}

function recordOf(key: UsedKey): object {
  return { ...keyRecord(key), account_id: key.accountId };
}
