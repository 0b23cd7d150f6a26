/** The image commands: one per declared operation, and `pipeline`. */
import { Command, Option } from 'commander';
import { Failure, invalidParameter } from '../../base/failure.ts';
import type { AuxiliaryImageName, AuxiliaryImages } from '../../engine/operations/definition.ts';
import { OPERATIONS, operationNamed } from '../../engine/operations/registry.ts';
import { type Config, loadConfig } from '../../server/config.ts';
import type { Io } from '../io.ts';
import { asUsage } from '../usage.ts';
import { findInputs, STDIO } from './inputs.ts';
import { allowanceOf, type ImageCommand, operationCommand } from './operations.ts';
import { flagOf, joinSwitches, type Parameters, parametersOf } from './parameters.ts';
import { readImage } from './read.ts';
import { type Run, runOnFiles } from './run.ts';
import { formatOfName, resolveDestination } from './targets.ts';

const PIPELINE = 'pipeline';

export const IMAGE_COMMANDS: readonly string[] = [...OPERATIONS.map(({ name }) => name), PIPELINE];

/** Loads image commands and returns a function that adds them to the program. */
export async function imageCommandsAdder(names: readonly string[]): Promise<(program: Command, io: Io) => void> {
  const declared = await Promise.all(names.map(loadImageCommand));
  return (program, io) => {
    for (const command of declared) program.addCommand(commandOf(command, program, io));
  };
}

async function loadImageCommand(name: string): Promise<ImageCommand> {
  const operation = operationNamed(name);
  return operation ? operationCommand(operation) : (await import('./pipeline.ts')).PIPELINE;
}

/** A command whose boolean options may be followed by file names. */
class BooleanOptionCommand extends Command {
  readonly #switches: ReadonlySet<string>;

  constructor(name: string, switches: ReadonlySet<string>) {
    super(name);
    this.#switches = switches;
  }

  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    return super.parseOptions(joinSwitches(args, this.#switches));
  }
}

const FILES = 'Files:';

interface FileOptions {
  output?: string;
  overwrite?: true;
  inPlace?: true;
  dryRun?: true;
  json?: true;
  concurrency?: string;
}

function fileOptions({ answers, canReplace }: ImageCommand): Option[] {
  const output = [
    new Option(
      '-o, --output <path>',
      'file for one input, folder for several; a new name without an extension is a folder; - is the standard output (default beside the source)',
    ),
    new Option('--overwrite', 'take the place of files that are there'),
    ...(canReplace ? [new Option('--in-place', 'replace each source by its result, where that is smaller')] : []),
  ];
  return [
    ...(answers === 'files' ? output : []),
    new Option('--dry-run', 'say what would be done and written, and write nothing'),
    new Option('--json', 'print one line of JSON for each file'),
    new Option('--concurrency <integer>', 'images worked on at a time (default IC_WORKERS, the number of cores)'),
  ];
}

/** The flag of an auxiliary image. It ends in `-file` if a parameter has the same name. */
const auxiliaryFlag = ({ params }: ImageCommand, name: string): string =>
  name in params.shape ? flagOf(`${name}_file`) : flagOf(name);

const auxiliaryOptions = (declared: ImageCommand): { name: AuxiliaryImageName; option: Option }[] =>
  Object.entries(declared.auxiliaryImages).map(([name, meaning]) => ({
    name: name as AuxiliaryImageName,
    option: new Option(`${auxiliaryFlag(declared, name)} <file>`, meaning),
  }));

function commandOf(declared: ImageCommand, program: Command, io: Io): Command {
  const parameters = parametersOf(declared.params);
  const auxiliaryImages = auxiliaryOptions(declared);
  const command = new BooleanOptionCommand(declared.name, parameters.switches)
    .copyInheritedSettings(program)
    .summary(lowerCaseFirst(declared.summary))
    .description(`${declared.summary}. ${declared.description}`)
    .argument('<input...>', 'files, folders (with all below them) or patterns; - is the standard input')
    // The parameter descriptions already include choices and defaults.
    .configureHelp({ optionDescription: ({ description }) => description });
  for (const option of [...fileOptions(declared), ...auxiliaryImages.map(({ option }) => option)])
    command.addOption(option.helpGroup(FILES));
  for (const option of parameters.options) command.addOption(option);
  const examples = declared.examples.map((example) => `  imagecrew ${declared.name} ${example}\n`);
  command.addHelpText(
    'after',
    `\nExamples:\n${examples.join('')}${declared.note === undefined ? '' : `\n${declared.note}\n`}`,
  );
  return command.action(async (args: string[], options: FileOptions) => {
    const files = Object.fromEntries(
      auxiliaryImages.map(({ name, option }) => [name, command.getOptionValue(option.attributeName())]),
    ) as Partial<Record<AuxiliaryImageName, string>>;
    const config = loadConfig(io.env);
    const run = await asUsage(command, () =>
      prepare(io, config, { declared, parameters, command, args, options, files }),
    );
    await runOnFiles(io, run);
  });
}

/** Lower-cases the first letter, as in the other commands' summaries. */
const lowerCaseFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

interface PrepareInput {
  declared: ImageCommand;
  parameters: Parameters<object>;
  command: Command;
  args: readonly string[];
  options: FileOptions;
  files: Partial<Record<AuxiliaryImageName, string>>;
}

async function prepare(io: Io, config: Config, asked: PrepareInput): Promise<Run> {
  const { declared, parameters, command, args, options, files } = asked;
  const { output, overwrite = false, inPlace = false, dryRun = false, json = false } = options;
  const offered = parameters.schemas.get('format')?.enum ?? [];
  const inputs = await findInputs(args, { outputFolder: output === STDIO ? undefined : output, inPlace });
  const place = await resolveDestination(inputs, { output, inPlace });
  const named =
    place.kind === 'file' && offered.length > 0 ? formatOfName(place.path, offered, declared.kept) : undefined;
  const params = parameters.read(command, named === undefined ? {} : { format: named });
  if (named !== undefined && 'format' in params && params.format !== named && params.format !== 'auto')
    throw invalidParameter(`a name with the extension of ${String(params.format)}`, '--output', output);
  if ('filename' in params && typeof params.filename === 'string')
    for (const source of inputs.sources) source.name ??= params.filename;
  // The other pages of the file would be lost.
  if (inPlace && 'page' in params && params.page !== undefined)
    throw new Failure('conflicting_parameters', 'Expected --in-place without --page but received both.');
  const auxiliaryImages = await readAuxiliaryImages(io, files);
  const work = await declared.prepare(params, auxiliaryImages, allowanceOf(config));
  const concurrency = concurrencyOf(options.concurrency) ?? config.workers;
  return {
    name: declared.name,
    answers: declared.answers,
    work,
    inputs,
    place,
    offered,
    config,
    overwrite,
    dryRun,
    json,
    concurrency,
  };
}

const MAX_CONCURRENCY = 256;

function concurrencyOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_CONCURRENCY) return count;
  throw invalidParameter(`an integer from 1 to ${MAX_CONCURRENCY}`, '--concurrency', text);
}

/** @returns a function that copies the images for each task, since their buffers are transferred to a worker */
async function readAuxiliaryImages(
  io: Io,
  files: Partial<Record<AuxiliaryImageName, string>>,
): Promise<() => AuxiliaryImages> {
  const { signal } = new AbortController();
  const read: [string, ArrayBuffer][] = [];
  for (const [name, file] of Object.entries(files))
    if (file !== undefined) read.push([name, await readImage(io, file, signal)]);
  return () => Object.fromEntries(read.map(([name, data]) => [name, { data: data.slice(0) }]));
}
