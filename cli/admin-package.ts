import { type Command, Option } from 'commander';
import { grantPackage, PACKAGE_NAMES, type PackageName } from '../server/account/packages.ts';
import { accountNamed, withDatabase } from './database.ts';
import { type Io, printRecord } from './io.ts';

interface GrantOptions {
  account: string;
  package: PackageName;
}

export function addPackageCommands(admin: Command, io: Io): void {
  admin
    .command('package')
    .description('give packages of pages for website scans')
    .command('grant')
    .description('give an account a package, beside those that it has')
    .requiredOption('--account <account>', 'name or id of the account')
    .addOption(new Option('--package <package>', 'which one').choices(PACKAGE_NAMES).makeOptionMandatory())
    .action(async ({ account, package: name }: GrantOptions) => {
      await withDatabase(io, async ({ accounts, packages }) => {
        const { id } = await accountNamed(accounts, account);
        printRecord(io, { ...(await grantPackage(packages, id, name)), account_id: id });
      });
    });
}
