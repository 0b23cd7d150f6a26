/** Options that `scan` and `optimize` share. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isBlock } from '../../server/http/addresses.ts';
import { SCAN_SOURCES, type ScanSource } from '../../storage/records/site-scans.ts';
import { addSettingsOptions, type SettingsInput, settingsOf } from './settings-options.ts';

export interface SiteOptions {
  source?: ScanSource;
  maxPages?: number;
  site?: string;
  allowPrivate?: readonly string[];
  json?: true;
  render?: true;
  settings: SettingsInput;
}

export const SITE_ARGUMENT = [
  '<site>',
  'address of a website, or a folder that is one: its pages are read from the files',
] as const;

export function addSiteOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--source <source>',
        `one of ${SCAN_SOURCES.join(', ')}. sitemap: the address is that of a sitemap. list: a file has the addresses, one per line.`,
      ).choices(SCAN_SOURCES),
    )
    .option(
      '--max-pages <n>',
      'most pages that are scanned. Default: 50 of an address, all of a folder or a list.',
      pageCount,
    )
    .option('--site <address>', 'of a folder: address of its website, which pages may name it by')
    .option(
      '--allow-private <cidr>',
      'block of private addresses that may be reached; may be given several times',
      block,
    )
    .option(
      '--render',
      'render each page in the installed Chromium (IC_CHROMIUM): sizes as shown, lazy images, and what scripts add. Runs the scripts of the pages: for websites of your own.',
    )
    .option('--json', 'print one JSON document, and nothing else');
  addSettingsOptions(command);
  // The descriptions already include the choices.
  command.configureHelp({ optionDescription: ({ description }) => description });
}

/** @param options as parsed by commander */
export function siteOptionsOf<T extends SiteOptions>(options: Record<string, unknown>): T {
  return { ...options, settings: settingsOf(options) } as unknown as T;
}

function pageCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Expected an integer of at least 1.');
  return Number(text);
}

function block(text: string, before: readonly string[] = []): string[] {
  if (!isBlock(text)) throw new InvalidArgumentError('Expected a CIDR block such as 192.168.0.0/16.');
  return [...before, text];
}
