/** Options for the checks of a scan. This module is loaded with the command line and must not load the service. */
import { InvalidArgumentError, Option } from 'commander';
import { SEVERITY_ORDER, type Severity } from '../../server/sites/findings/finding.ts';
import { parseSize, SIZE_FORM } from './sizes.ts';

/** Read from the working directory if no other file is given. */
export const PROJECT_CONFIG = 'imagecrew.config.json';

/** Parsed values of `--fail-on`. */
interface FailOn {
  findings?: Severity;
  /** Maximum bytes that could still be saved. */
  bytes?: number;
}

export interface CheckOptions {
  /** Maximum bytes of the images of one page. */
  failOver?: number;
  failOn?: FailOn;
  /** File of findings that do not fail the check. */
  baseline?: string;
  /** Configuration file of the project. */
  config?: string;
}

export const checkOptions = [
  new Option(
    '--fail-over <size>',
    `end with 1 when the images of any page have more bytes, each image once (${SIZE_FORM}), or a page could not be read; images that could not be read count 0 bytes and fail only --fail-on findings`,
  ).argParser(sizeOf),
  new Option(
    '--fail-on <what>',
    'end with 1 on findings (errors and warnings; findings=error, =notice or =info for others) or on bytes that could be saved (bytes=100kB: more than that); may be given several times',
  ).argParser(failOn),
  new Option(
    '--baseline <file>',
    'findings in this file, which --write-baseline has written, do not fail --fail-on findings',
  ),
  new Option(
    '--config <file>',
    `configuration of the project: budgets of pages, the baseline (default: ${PROJECT_CONFIG} in the working directory, if there is one)`,
  ),
];

function sizeOf(text: string): number {
  const bytes = parseSize(text);
  if (bytes === undefined) throw new InvalidArgumentError(`Expected ${SIZE_FORM}.`);
  return bytes;
}

function failOn(text: string, before: FailOn = {}): FailOn {
  const [, what, bound] = /^(findings|bytes)(?:=(.+))?$/.exec(text) ?? [];
  if (what === 'bytes') return { ...before, bytes: sizeOf(bound ?? '0') };
  const severity = bound ?? 'warning';
  if (what === 'findings' && isSeverity(severity)) return { ...before, findings: severity };
  throw new InvalidArgumentError(
    `Expected findings, bytes, findings=SEVERITY (${SEVERITY_ORDER.join(', ')}) or bytes=SIZE.`,
  );
}

const isSeverity = (text: string): text is Severity => (SEVERITY_ORDER as readonly string[]).includes(text);
