/** Runs `imagecrew scan` and `imagecrew optimize`, in this process or in a separate one. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../../cli/program.ts';
import { LOADER, program } from '../../support/repository.ts';
import { TestImages } from '../../support/website/images.ts';

const MAIN = fileURLToPath(program('cli/main'));
const ENV = { IC_WORKERS: '1' };
/** Lets commands find the programs of this machine. */
const PROGRAMS = { PATH: process.env.PATH ?? '' };

/** Options for a test's own website: private addresses are allowed and there is no delay between requests. */
export const LOCAL_SITE_OPTIONS = ['--allow-private', '127.0.0.0/8', '--delay-ms', '0', '--concurrency', '6'];

export interface Run {
  status: number;
  out: string;
  err: string;
}

interface RunOptions {
  /** Added to the environment that every test uses. */
  env?: Record<string, string>;
  isTerminal?: boolean;
  /** Called with all that the command has written to stderr so far, each time that it writes. */
  onError?: (written: string) => void;
}

export async function run(
  args: readonly string[],
  { env = {}, isTerminal = false, onError = () => {} }: RunOptions = {},
): Promise<Run> {
  const written = { out: '', err: '' };
  const status = await runCli(args, {
    env: { ...ENV, ...PROGRAMS, ...env },
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
      onError(written.err);
    },
    isTerminal,
  });
  return { status, ...written };
}

export function start(
  args: readonly string[],
  env: Record<string, string>,
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [...LOADER, MAIN, ...args], {
    env: { ...process.env, ...ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

let testImages: Promise<TestImages> | undefined;

/** Draws the images on the first call; later calls return the same ones. */
export function drawTestImages(): Promise<TestImages> {
  testImages ??= TestImages.draw();
  return testImages;
}

/** The part of the output of `--json` that the tests read. */
export interface ScanDocument {
  scan: {
    status: string;
    domain: string;
    totals: Record<string, number> & { issues: Record<string, number> };
    warnings: string[];
    error: { code: string; message: string } | null;
    expires_at: string | null;
  };
  checks: { passed: boolean; fail_over?: { pages_over: number; pages: Record<string, unknown>[] } };
  package: { path: string; files: number; bytes: number } | null;
  pages: { url: string; status: string; image_bytes: number; bytes_saved: number; skip_reason: string | null }[];
  assets: {
    seq: number;
    url: string;
    status: string;
    bytes: number | null;
    sha256: string | null;
    findings: { code: string }[];
    places: { page_url: string; source_url: string; role: string; line: number; column: number }[];
  }[];
}

export const documentOf = ({ out }: Run): ScanDocument => JSON.parse(out) as ScanDocument;
