/** Writes the outcomes as a page of the documentation. */
import { FORMATS, type InputFormat } from '../../codecs/formats/registry.ts';
import { isMagickInput } from '../../codecs/magick/coders.ts';
import type { Outcome } from './check.ts';
import type { TrustedDecoder } from './decoder.ts';
import { MAX_HASH_DISTANCE, MAX_MEAN_DIFFERENCE } from './expectations.ts';
import { explanationOf } from './explanations.ts';

export interface ReportContext {
  /** Commit of the working tree. */
  commit: string;
  /** YYYY-MM-DD. */
  date: string;
  /** Files that could not be made, with the reason. */
  missing: readonly { name: string; why: string }[];
}

export async function writeReport(outcomes: readonly Outcome[], circumstances: ReportContext): Promise<string> {
  const { commit, date, missing } = circumstances;
  const tried = groupByFormat(outcomes);
  const ids = (Object.keys(FORMATS) as InputFormat[]).filter((id) => tried.has(id));
  const readable = ids.filter((id) => tried.get(id)?.some(({ read }) => read));
  const untried = (Object.keys(FORMATS) as InputFormat[]).filter((id) => !tried.has(id));
  const made = outcomes.filter(({ name }) => name.startsWith(MADE)).length;
  const lines = [
    '# The formats, read and compared',
    '',
    `${ids.length} formats, ${outcomes.length} files: ${outcomes.length - made} real ones of the test corpus, ${made} made ones of formats that it lacks or has few of. ` +
      `${readable.length} formats and ${count(outcomes, isRead)} files are read; ${count(outcomes, agrees)} agree with a trusted decoder of another maker.`,
    '',
    `Made by \`npm run formats\` on ${date} from commit ${commit}. Every file is read as a worker of the service reads it, and by the decoders below.`,
    '',
    ...meaning(),
    '',
    '| Id | Format | Files | Read | Agree | Exactly | Mean difference | Compared with |',
    '| --- | --- | --: | --: | --: | --: | --: | --- |',
    ...ids.map((id) => row(id, tried.get(id) ?? [])),
    '',
    '## What does not read or agree',
    '',
    ...list(outcomes.filter((outcome) => !agrees(outcome)).map(fault)),
    '',
    '## Remarks',
    '',
    ...list(outcomes.filter(({ remarks }) => remarks.length > 0).map(remark)),
    '',
    '## Not tried',
    '',
    ...list([
      ...untried.map(
        (id) => `\`${id}\` (${FORMATS[id].name}): no file of it was at hand and no program that makes one.`,
      ),
      ...missing.map(({ name, why }) => `${name}: ${why}.`),
    ]),
    '',
    '## The trusted decoders',
    '',
    ...(await versions(outcomes)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function groupByFormat(outcomes: readonly Outcome[]): Map<InputFormat, Outcome[]> {
  const groups = new Map<InputFormat, Outcome[]>();
  for (const outcome of outcomes) groups.set(outcome.format, [...(groups.get(outcome.format) ?? []), outcome]);
  return groups;
}

const MADE = 'made/';
const isRead = ({ read }: Outcome): boolean => read;
const agrees = (outcome: Outcome): boolean => outcome.agrees;

function meaning(): string[] {
  return [
    '- **Files**: tried. Names that begin with `made/` are files made for this table: by programs of other makers, or drawn from the description of the format.',
    '- **Agree**: size and number of pages are those that the decoder tells, and those in the list of the corpus. Of files with pages the first two and the last are compared. Codings that keep every sample must give the same samples, or samples one level of 255 apart where colours or depths are converted; codings that lose (and drawings, camera raws and screens whose colours are defined by hardware) must give the same image: perceptual hashes at most ' +
      `${MAX_HASH_DISTANCE} of 64 bits apart, and samples at most ${MAX_MEAN_DIFFERENCE} of 255 apart in the mean.`,
    '- **Exactly**: every sample of every page that was compared is the same.',
    '- **Mean difference**: of the samples of the worst page, of 255.',
    '- **†**: another build and version of the library that reads the format for us, so that it proves the build and what we make of its answers, not the library.',
    '- A file agrees when one of the decoders agrees. Where another one that was asked before differs, the remarks say so.',
  ];
}

function row(id: InputFormat, outcomes: readonly Outcome[]): string {
  const worst = Math.max(0, ...outcomes.map(({ difference }) => difference?.mean ?? 0));
  const decoders = [...new Set(outcomes.flatMap(({ comparedWith }) => [...comparedWith].map(({ name }) => name)))];
  const cells = [
    `\`${id}\``,
    FORMATS[id].name,
    outcomes.length,
    count(outcomes, isRead),
    count(outcomes, agrees),
    count(outcomes, ({ exact }) => exact),
    worst === 0 ? '0' : worst.toFixed(2),
    decoders.map((decoder) => (isSameLibrary(id, decoder) ? `${decoder} †` : decoder)).join(', ') || 'nothing',
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Whether a decoder is another build of the library with which we read the format. */
function isSameLibrary(format: InputFormat, decoder: string): boolean {
  const library = FORMATS[format].loader ? 'libvips' : isMagickInput(format) ? 'ImageMagick' : undefined;
  return library !== undefined && decoder.startsWith(library);
}

function fault({ name, read, comparedWith, faults }: Outcome): string {
  const happened = faults.length > 0 ? faults.join('; ') : 'no trusted decoder at hand reads it';
  const verdict = !read ? 'not read' : comparedWith.size === 0 ? 'read, not compared' : 'differs';
  const why = explanationOf(name);
  return `${name}: ${verdict}. ${why ? `${why} ` : ''}(${plain(happened)})`;
}

function remark({ name, remarks }: Outcome): string {
  return `${name}: ${plain(remarks.join('; '))}.`;
}

async function versions(outcomes: readonly Outcome[]): Promise<string[]> {
  const decoders = new Map<string, TrustedDecoder>();
  for (const { comparedWith } of outcomes) {
    for (const decoder of comparedWith) decoders.set(decoder.name, decoder);
  }
  const versions = new Map<string, string>();
  for (const { name, version } of decoders.values()) {
    const suite = /^(netpbm) \((\w+)\)/.exec(name);
    if (!suite) versions.set(name, await version());
    else
      versions.set(suite[1]!, `${await version()}: ${[...programsOf(suite[1]!, decoders.keys())].sort().join(', ')}`);
  }
  return list([...versions].map(([name, version]) => `${name} ${version}`.trim()).sort());
}

/** Returns the program names of a suite of small programs. */
function programsOf(suite: string, names: Iterable<string>): Set<string> {
  const programs = [...names].map((name) => new RegExp(`^${suite} \\((\\w+)\\)`).exec(name)?.[1]);
  return new Set(programs.filter((program) => program !== undefined));
}

const count = (outcomes: readonly Outcome[], holds: (outcome: Outcome) => boolean): number =>
  outcomes.filter(holds).length;

const list = (items: readonly string[]): string[] =>
  items.length > 0 ? items.map((item) => `- ${item}`) : ['Nothing.'];

/** Escapes characters that are markup in Markdown or HTML. */
const plain = (text: string): string => text.replace(/[|<>*_]/g, (mark) => `\\${mark}`);
