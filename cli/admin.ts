import type { Command } from 'commander';
import { addAccountCommands } from './admin-account.ts';
import { addKeyCommands } from './admin-key.ts';
import { addPackageCommands } from './admin-package.ts';
import type { Io } from './io.ts';

export function addAdminCommands(program: Command, io: Io): void {
  const admin = program.command('admin').description('accounts, keys and packages; works while the service runs');
  addAccountCommands(admin, io);
  addKeyCommands(admin, io);
  addPackageCommands(admin, io);
}
