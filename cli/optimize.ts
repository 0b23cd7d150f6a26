import type { Command } from 'commander';
import type { InPlaceOptions } from './in-place/command.ts';
import { DEFAULT_CACHE_FOLDER } from './in-place/default-cache.ts';
import type { Io } from './io.ts';
import type { OptimizeCommandOptions } from './websites/commands.ts';
import { addSiteOptions, type SiteOptions, siteOptionsOf } from './websites/scan-options.ts';

const EXAMPLES = `
Examples:
  imagecrew optimize dist
  imagecrew optimize dist --site https://example.com/blog/ -o package
  imagecrew optimize https://example.com --max-pages 20 --zip
  imagecrew optimize dist --in-place
  imagecrew optimize dist 'public/**/*.png' --in-place --mode smart --exclude '/icons/**' --json
`;

const ABOUT = `Reads the pages of a website, converts every image that they name, and writes a package: the new files, mapping.json with what replaces what, a report, rules for web servers, and AGENT.md for a coding agent. The website itself is not changed.

With --in-place it replaces images of a folder by smaller ones instead, of the same format, size and name, so that no reference changes: JPEG, PNG and GIF, and others as --recompress-webp and --optimize-svg say. A cache by content keeps what was made of each: a second run compresses nothing.`;

export function addOptimizeCommand(program: Command, io: Io): void {
  const command = program
    .command('optimize')
    .summary("convert a website's images and write a package of replacements")
    .description(ABOUT)
    .argument(
      '<site...>',
      'address of a website, or a folder that is one: its pages are read from the files; with --in-place folders, files or patterns of images',
    )
    .option('-o, --output <path>', 'folder of the package, or its ZIP (default imagecrew-NAME)')
    .option('--zip', 'write one ZIP')
    .option('--overwrite', 'write over what is there')
    .option(
      '--in-place',
      'replace images by smaller files of the same format; --include and --exclude are patterns of images then, and --json prints a line for each',
    )
    .option(
      '--cache <folder>',
      `with --in-place: folder of what was made of images before (default ${DEFAULT_CACHE_FOLDER})`,
    );
  addSiteOptions(command);
  command.addHelpText('after', EXAMPLES).action(async (sites: string[], options: Record<string, unknown>) => {
    // The module is loaded only when the command runs, because it loads the service.
    if (options.inPlace) {
      const { optimizeFiles } = await import('./in-place/command.ts');
      return await optimizeFiles(io, command, sites, siteOptionsOf<InPlaceOptions & SiteOptions>(options));
    }
    const [site, ...others] = sites;
    if (options.cache !== undefined) command.error('Expected --in-place with --cache but received none.');
    if (others.length > 0) command.error(`Expected one website without --in-place but received ${sites.length}.`);
    const { optimizeSite } = await import('./websites/commands.ts');
    await optimizeSite(io, command, site!, siteOptionsOf<OptimizeCommandOptions>(options));
  });
}
