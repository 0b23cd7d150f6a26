/** Checks the arguments of `imagecrew optimize --in-place` and runs it. */
import type { Command } from 'commander';
import { Failure, withHint } from '../../base/failure.ts';
import { loadConfig } from '../../server/config.ts';
import { findInputs, STDIO } from '../images/inputs.ts';
import type { Io } from '../io.ts';
import { withOptionNames } from '../usage.ts';
import type { SettingsInput } from '../websites/settings-options.ts';
import { DEFAULT_CACHE_FOLDER } from './default-cache.ts';
import { replacedFormats } from './formats.ts';
import { optimizeInPlace } from './run.ts';
import { IN_PLACE_SETTINGS, inPlaceSettingsSchema } from './settings.ts';

export interface InPlaceOptions {
  cache?: string;
  json?: true;
  settings: SettingsInput;
}

const OPTIONS: ReadonlySet<string> = new Set(['in_place', 'cache', 'json', ...IN_PLACE_SETTINGS]);

export async function optimizeFiles(
  io: Io,
  command: Command,
  args: readonly string[],
  { cache = DEFAULT_CACHE_FOLDER, json, settings: given }: InPlaceOptions,
): Promise<void> {
  const config = loadConfig(io.env);
  try {
    checkOptions(command);
    if (args.includes(STDIO)) throw conflict('Expected files for --in-place but received the standard input.');
    const settings = inPlaceSettingsSchema.strip().parse(given);
    const formats = replacedFormats(settings);
    const inputs = await findInputs(args, { outputFolder: undefined, inPlace: true, formats, mayBeEmpty: true });
    await optimizeInPlace(io, { inputs, settings, cache, config, json: json === true });
  } catch (error) {
    // Patterns are validated only when they are matched, so usage errors may also come from the run.
    if (error instanceof Failure && USAGE_ERROR_CODES.has(error.code)) command.error(withOptionNames(withHint(error)));
    throw error;
  }
}

const USAGE_ERROR_CODES: ReadonlySet<string> = new Set(['invalid_parameter', 'conflicting_parameters']);

/** @throws Failure `conflicting_parameters` for an option that applies only to websites */
function checkOptions(command: Command): void {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  const other = given.find(({ long }) => !OPTIONS.has(long!.replace(/^--(?:no-)?/, '').replaceAll('-', '_')));
  if (other) throw conflict(`Expected no ${other.long} with --in-place but received one.`);
}

const conflict = (sentence: string) => new Failure('conflicting_parameters', sentence);
