import type { Command } from 'commander';
import type { Io } from './io.ts';
import { checkOptions } from './websites/check-options.ts';
import type { ScanCommandOptions } from './websites/commands.ts';
import { reportOptions } from './websites/reports/options.ts';
import { addSiteOptions, SITE_ARGUMENT, siteOptionsOf } from './websites/scan-options.ts';

const EXIT_STATUS = `
Ends with 0, with 1 when a check has failed, with 2 when it was called wrongly, with 3 when the scan itself has failed.

Examples:
  imagecrew scan https://example.com
  imagecrew scan dist --fail-over 500kB --fail-on findings=error
  imagecrew scan https://example.com --max-pages 200 --json --report report.html
  imagecrew scan dist --write-baseline images.baseline.json
  imagecrew scan dist --baseline images.baseline.json --fail-on findings --junit images.xml --sarif images.sarif
`;

export function addScanCommand(program: Command, io: Io): void {
  const command = program
    .command('scan')
    .summary('report problems of the images of a website, and fail a build for them')
    .description(
      'Reads the pages of a website, fetches every image that they name, converts it to know what could be saved, and says what is wrong. Nothing is kept but the report.',
    )
    .argument(...SITE_ARGUMENT);
  for (const option of checkOptions) command.addOption(option);
  command.option(
    '--report <file>',
    'write the report for people, an HTML page, there, in place of a file of that name',
  );
  for (const option of reportOptions) command.addOption(option);
  command.option('--write-baseline <file>', 'write what the scan has found as the baseline of later ones');
  addSiteOptions(command);
  command.addHelpText('after', EXIT_STATUS).action(async (site: string, options: Record<string, unknown>) => {
    // The module is loaded only when the command runs, because it loads the service.
    const { scanSite } = await import('./websites/commands.ts');
    await scanSite(io, command, site, siteOptionsOf<ScanCommandOptions>(options));
  });
}
