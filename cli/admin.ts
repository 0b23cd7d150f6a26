import { type Command, Option } from 'commander';
import { notFound } from '../base/failure.ts';
import { DEFAULT_KEY_NAME } from '../server/account/fields.ts';
import { DEFAULT_SCOPES, issueKey, type Scope, withUse } from '../server/account/keys.ts';
import { grantPackage, PACKAGE_NAMES, type PackageName } from '../server/account/packages.ts';
import { monthOf } from '../server/account/period.ts';
import { Plans } from '../server/account/plans.ts';
import { accountRecord, keyRecord } from '../server/account/records.ts';
import { loadConfig } from '../server/config.ts';
import type { AccountChanges } from '../storage/ports/accounts.ts';
import type { UsedKey } from '../storage/records/keys.ts';
import * as argument from './arguments.ts';
import { addBackupCommands } from './backup.ts';
import { accountNamed, withDatabase } from './database.ts';
import { type Io, printRecord } from './io.ts';

export function addAdminCommands(program: Command, io: Io): void {
  const admin = program
    .command('admin')
    .description('accounts, keys, packages and backups; works while the service runs, except restore');
  addAccountCommands(admin, io);
  addKeyCommands(admin, io);
  addPackageCommands(admin, io);
  addBackupCommands(admin, io);
}

interface CreateAccountOptions {
  name: string;
  plan: string;
  email?: string;
}

interface UpdateOptions {
  account: string;
  plan?: string;
  email?: string;
  disable?: true;
  enable?: true;
}

function addAccountCommands(admin: Command, io: Io): void {
  const account = admin.command('account').description('create, list and change accounts');

  account
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'name, which no other account has', argument.accountName)
    .requiredOption('--plan <plan>', 'free, pro or one of IC_PLANS_FILE')
    .option('--email <address>', 'where notices are sent', argument.email)
    .action(async ({ name, plan, email }: CreateAccountOptions) => {
      (await Plans.load(loadConfig(io.env))).check(plan);
      await withDatabase(io, async ({ accounts }) => {
        printRecord(io, accountRecord(await accounts.create({ name, plan, email: email ?? null })));
      });
    });

  account
    .command('list')
    .description('print all accounts, one per line')
    .action(async () => {
      await withDatabase(io, async ({ accounts }) => {
        for (const each of await accounts.list()) printRecord(io, accountRecord(each));
      });
    });

  account
    .command('update')
    .description('change an account')
    .requiredOption('--account <account>', 'name or id of the account')
    .option('--plan <plan>', 'free, pro or one of IC_PLANS_FILE')
    .option('--email <address>', 'where notices are sent', argument.email)
    .option('--disable', 'refuse all its keys from now on')
    .addOption(new Option('--enable', 'accept its keys again').conflicts('disable'))
    .action(async ({ account: nameOrId, ...options }: UpdateOptions) => {
      if (options.plan !== undefined) (await Plans.load(loadConfig(io.env))).check(options.plan);
      await withDatabase(io, async ({ accounts }) => {
        const { id } = await accountNamed(accounts, nameOrId);
        const changed = await accounts.update(id, changesOf(options));
        if (changed) printRecord(io, accountRecord(changed));
      });
    });
}

function changesOf({ plan, email, disable, enable }: Omit<UpdateOptions, 'account'>): AccountChanges {
  return {
    ...(plan && { plan }),
    ...(email && { email }),
    ...(disable && { disabled: true }),
    ...(enable && { disabled: false }),
  };
}

interface CreateKeyOptions {
  account: string;
  name: string;
  scopes: readonly Scope[];
  test?: true;
  monthlyLimit?: number;
  expiresAt?: string;
}

function addKeyCommands(admin: Command, io: Io): void {
  const key = admin.command('key').description('create, list and revoke keys');

  key
    .command('create')
    .description('create a key; it is printed this once and never again')
    .requiredOption('--account <account>', 'name or id of the account')
    .option('--name <name>', 'what the key is for', argument.keyName, DEFAULT_KEY_NAME)
    .addOption(
      new Option(
        '--scopes <scopes>',
        'what the key may do beside compress and the like: ai (operations with models), sites (scans of websites), admin (keys of the account)',
      )
        .argParser(argument.scopes)
        .default(DEFAULT_SCOPES, DEFAULT_SCOPES.join(',')),
    )
    .option('--test', 'create a test key, which uses no quota and accepts only small files')
    .addOption(
      new Option('--monthly-limit <requests>', 'requests that the key may use in a month')
        .argParser(argument.monthlyLimit)
        .conflicts('test'),
    )
    .option('--expires-at <time>', 'when the key expires, such as 2030-12-31T23:59:59Z', argument.moment)
    .action(async ({ account, name, scopes, test, monthlyLimit, expiresAt }: CreateKeyOptions) => {
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
        if (!revoked) throw notFound('a key', id);
        printRecord(io, recordOf(await withUse(meters, revoked, Date.now())));
      });
    });
}

const recordOf = (key: UsedKey): object => ({ ...keyRecord(key), account_id: key.accountId });

interface GrantOptions {
  account: string;
  package: PackageName;
}

function addPackageCommands(admin: Command, io: Io): void {
  admin
    .command('package')
    .description('give packages of pages for website scans')
    .command('grant')
    .description('give an account a package, beside those that it has')
    .requiredOption('--account <account>', 'name or id of the account')
    .addOption(new Option('--package <package>', 'its name').choices(PACKAGE_NAMES).makeOptionMandatory())
    .action(async ({ account, package: name }: GrantOptions) => {
      await withDatabase(io, async ({ accounts, packages }) => {
        const { id } = await accountNamed(accounts, account);
        printRecord(io, { ...(await grantPackage(packages, id, name)), account_id: id });
      });
    });
}
