import type { Command } from 'commander';
import type { Io } from './io.ts';
import type { OptimizeCommandOptions } from './websites/commands.ts';
import { addSiteOptions, SITE_ARGUMENT, siteOptionsOf } from './websites/scan-options.ts';

const EXAMPLES = `
Examples:
  imagecrew optimize dist
  imagecrew optimize dist --site https://example.com/blog/ -o package
  imagecrew optimize https://example.com --max-pages 20 --zip
`;

export function addOptimizeCommand(program: Command, io: Io): void {
  const command = program
    .command('optimize')
    .summary("convert a website's images and write a package of replacements")
    .description(
      'Reads the pages of a website, converts every image that they name, and writes a package: the new files, mapping.json with what replaces what, a report, rules for web servers, and AGENT.md for a coding agent. The website itself is not changed.',
    )
    .argument(...SITE_ARGUMENT)
    .option('-o, --output <path>', 'folder of the package, or its ZIP (default imagecrew-NAME)')
    .option('--zip', 'write one ZIP')
    .option('--overwrite', 'write over what is there');
  addSiteOptions(command);
  command.addHelpText('after', EXAMPLES).action(async (site: string, options: Record<string, unknown>) => {
    // Only what is run loads the service.
    const { optimizeSite } = await import('./websites/commands.ts');
    await optimizeSite(io, command, site, siteOptionsOf<OptimizeCommandOptions>(options));
  });
}
