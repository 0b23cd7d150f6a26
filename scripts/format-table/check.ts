/** Decodes one file and compares the result with a trusted decoder and with the list of the corpus. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import type { InputFormat } from '../../codecs/formats/registry.ts';
import { compareRasters, type Difference } from './compare.ts';
import type { Decoded, TrustedDecoder } from './decoder.ts';
import { isNear, toleranceOf } from './expectations.ts';
import type { InputFile } from './inputs.ts';
import type { OurPage, OurReader } from './ours.ts';
import type { Raster } from './raster.ts';
import { TRUSTED } from './trusted.ts';

export interface Outcome {
  name: string;
  format: InputFormat;
  read: boolean;
  /** Decoders used for the comparison; empty if no trusted decoder reads the file. */
  comparedWith: Set<TrustedDecoder>;
  agrees: boolean;
  /** Whether every sample of every compared page is the same. */
  exact: boolean;
  /** The largest difference of the compared pages. */
  difference: Difference | undefined;
  /** Reasons why the file cannot be read or does not agree. */
  faults: string[];
  /** Other remarks for readers of the table. */
  remarks: string[];
}

/**
 * @param folder where files may be written
 * @param tell receives messages about decoders that cannot decode the file
 */
export async function checkFile(
  ours: OurReader,
  input: InputFile,
  folder: string,
  tell: (sentence: string) => void = () => {},
): Promise<Outcome> {
  const outcome: Outcome = {
    name: input.name,
    format: input.format,
    read: false,
    comparedWith: new Set(),
    agrees: false,
    exact: false,
    difference: undefined,
    faults: [],
    remarks: [],
  };
  const work = await mkdtemp(join(folder, 'file-'));
  // Some decoders detect the format from the file name.
  const file = join(work, basename(input.name));
  await writeFile(file, input.bytes);
  let first: OurPage;
  try {
    outcome.format = await ours.format(input.bytes, input.name);
    first = await ours.read(input.bytes, input.name, 1);
  } catch (error) {
    outcome.faults.push(messageOf(error));
    return outcome;
  }
  outcome.read = true;
  if (first.truncated) outcome.remarks.push('damaged or cut short: what can be read is read');
  if (first.preview) outcome.remarks.push('the preview that the file brings along');
  compareWithList(outcome, input, first);

  for (const page of pagesToCompare(first.pages)) {
    try {
      const mine = page === 1 ? first : await ours.read(input.bytes, input.name, page);
      await comparePage(outcome, input, mine.raster, { file, page, folder: work, pages: first.pages, tell });
    } catch (error) {
      outcome.faults.push(`page ${page}: ${messageOf(error)}`);
    }
  }
  await rm(work, { recursive: true });
  outcome.agrees = outcome.comparedWith.size > 0 && outcome.faults.length === 0;
  outcome.exact = outcome.agrees && outcome.difference?.largest === 0;
  return outcome;
}

/** The first two pages and the last. */
const pagesToCompare = (pages: number): number[] => [...new Set([1, Math.min(2, pages), pages])];

function messageOf(error: unknown): string {
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message.trim().split('\n')[0]! : String(error);
}

/** A PDF is measured in points, not pixels, so only its number of pages is compared. */
function compareWithList({ format, faults }: Outcome, { listed }: InputFile, { raster, pages }: OurPage): void {
  const size = format === 'pdf' ? undefined : listed?.size;
  if (size && (size.width !== raster.width || size.height !== raster.height))
    faults.push(`${raster.width} x ${raster.height}, listed as ${size.width} x ${size.height} (${listed?.saidBy})`);
  if (listed?.pages && listed.pages !== pages)
    faults.push(`${pages} pages, listed with ${listed.pages} (${listed.saidBy})`);
}

interface ComparedPage {
  file: string;
  page: number;
  folder: string;
  pages: number;
  tell(sentence: string): void;
}

/** Compares with one trusted decoder after the other, until one agrees. */
async function comparePage(outcome: Outcome, input: InputFile, mine: Raster, compared: ComparedPage): Promise<void> {
  const differing: { decoder: TrustedDecoder; verdict: Verdict }[] = [];
  for (const decoder of trustedDecoders(outcome.format, input)) {
    const theirs = await decodeTrusted(decoder, outcome.name, compared);
    if (!theirs) continue;
    const verdict = judge(outcome, input, mine, theirs, compared);
    if (verdict.faults.length > 0) {
      differing.push({ decoder, verdict });
      continue;
    }
    outcome.comparedWith.add(decoder);
    if (verdict.difference) outcome.difference = worse(outcome.difference, verdict.difference);
    for (const other of differing) {
      const remark = `${other.decoder.name} differs: ${other.verdict.faults.join(', ')}`;
      outcome.remarks.push(where(compared, remark));
    }
    return;
  }
  const [first] = differing;
  if (!first) return;
  outcome.comparedWith.add(first.decoder);
  if (first.verdict.difference) outcome.difference = worse(outcome.difference, first.verdict.difference);
  for (const { decoder, verdict } of differing)
    outcome.faults.push(where(compared, `${verdict.faults.join(', ')} by ${decoder.name}`));
}

const where = ({ page, pages }: ComparedPage, text: string): string => (pages > 1 ? `page ${page}: ${text}` : text);

interface Verdict {
  difference: Difference | undefined;
  faults: string[];
}

function judge(outcome: Outcome, input: InputFile, mine: Raster, theirs: Decoded, compared: ComparedPage): Verdict {
  const faults: string[] = [];
  const { page, pages } = compared;
  if (page === 1 && theirs.pages !== undefined && theirs.pages !== pages)
    faults.push(`${theirs.pages} pages, not ${pages}`);
  const { width, height } = theirs.raster;
  if (width !== mine.width || height !== mine.height) {
    faults.push(`${width} x ${height}, not ${mine.width} x ${mine.height}`);
    return { difference: undefined, faults };
  }
  const difference = compareRasters(mine, theirs.raster);
  if (!isNear(difference, toleranceOf(outcome.format, input.bytes))) {
    const { largest, mean, distance } = difference;
    faults.push(`pixels up to ${round(largest)} off, ${round(mean)} in the mean, hashes ${distance} bits`);
  }
  return { difference, faults };
}

/** The drawn pixels of a made file are used last. */
function trustedDecoders(format: InputFormat, { drawn }: InputFile): TrustedDecoder[] {
  const drawing: TrustedDecoder[] = drawn
    ? [{ name: 'the image that was drawn', version: async () => '', decode: async () => ({ raster: drawn }) }]
    : [];
  return [...(TRUSTED[format] ?? []), ...drawing];
}

async function decodeTrusted(
  decoder: TrustedDecoder,
  name: string,
  { file, page, folder, tell }: ComparedPage,
): Promise<Decoded | undefined> {
  const work = join(folder, 'decoded');
  await mkdir(work);
  try {
    return await decoder.decode({ file, page, folder: work });
  } catch (error) {
    tell(`${name}: ${decoder.name}: ${messageOf(error)}`);
    return undefined;
  } finally {
    await rm(work, { recursive: true });
  }
}

function worse(one: Difference | undefined, other: Difference): Difference {
  if (!one) return other;
  return {
    largest: Math.max(one.largest, other.largest),
    mean: Math.max(one.mean, other.mean),
    distance: Math.max(one.distance, other.distance),
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;
