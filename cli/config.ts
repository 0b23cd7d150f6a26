import type { Command } from 'commander';
import { type ConfigRow, describeConfig, loadConfig } from '../server/config.ts';
import type { Io } from './io.ts';

export function addConfigCommand(program: Command, io: Io): void {
  program
    .command('config')
    .description('print every setting with its value, its default and its meaning')
    .action(() => {
      for (const row of describeConfig(loadConfig(io.env))) io.out(formatted(row));
    });
}

const formatted = ({ name, value, default: standard, type, meaning }: ConfigRow): string =>
  `${name}=${value}\n    ${meaning}\n    Takes ${type}; default: ${standard || 'none'}.\n`;
