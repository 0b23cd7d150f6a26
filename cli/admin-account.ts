import { type Command, Option } from 'commander';
import { Plans } from '../server/account/plans.ts';
import { accountRecord } from '../server/account/records.ts';
import { loadConfig } from '../server/config.ts';
import type { AccountChanges } from '../storage/ports/accounts.ts';
import * as argument from './arguments.ts';
import { accountNamed, withDatabase } from './database.ts';
import { type Io, printRecord } from './io.ts';

interface CreateOptions {
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

export function addAccountCommands(admin: Command, io: Io): void {
  const account = admin.command('account').description('make and change accounts');

  account
    .command('create')
    .description('make an account')
    .requiredOption('--name <name>', 'name, which no other account has', argument.accountName)
    .requiredOption('--plan <plan>', 'free, pro or one of IC_PLANS_FILE')
    .option('--email <address>', 'where notices are sent', argument.email)
    .action(async ({ name, plan, email }: CreateOptions) => {
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
    .option('--disable', 'refuse all its keys')
    .addOption(new Option('--enable', 'take its keys again').conflicts('disable'))
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
