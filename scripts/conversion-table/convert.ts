/** Converts the files over HTTP and compares each result with its source. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { FORMATS, OUTPUT_FORMATS, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import { corpus, corpusPath } from '../../test/support/corpus.ts';
import { findLosses, type Loss } from './losses.ts';
import { isSameImage } from './magick.ts';
import { type ImageProperties, readProperties } from './properties.ts';
import type { SourceImage } from './sources.ts';

export interface Service {
  address: string;
  key: string;
}

/** The largest file takes half a minute in the slowest format, more on a busy machine. */
export const SERVICE_SETTINGS = { IC_TASK_TIMEOUT_S: '120' };

/** A way to write a format. */
export interface Target {
  format: OutputFormat;
  /** undefined for the default. */
  mode?: 'lossless';
}

/** Every format, losslessly and with the default mode. */
export const TARGETS: readonly Target[] = OUTPUT_FORMATS.flatMap((format): Target[] => [
  ...(OUTPUTS[format].lossless ? [{ format, mode: 'lossless' as const }] : []),
  ...(OUTPUTS[format].lossy ? [{ format }] : []),
]);

export interface Conversion {
  source: SourceImage;
  target: Target;
  /** The code of the error if there is no result. */
  refused?: string;
  losses: readonly Loss[];
}

export interface ConvertedSource {
  source: SourceImage;
  properties: ImageProperties;
  conversions: Conversion[];
}

/** @throws Error if the file is missing or a program cannot read it or one of the results */
export async function convertSource(
  service: Service,
  source: SourceImage,
  targets: readonly Target[],
): Promise<ConvertedSource> {
  const bytes = corpus(source.path);
  if (!bytes) throw new Error(`The corpus has no ${source.path}.`);
  const properties = { ...(await readProperties(corpusPath(source.path), source.format)), ...source.known };
  const conversions: Conversion[] = [];
  for (const target of targets) conversions.push(await convert(service, { source, bytes, properties, target }));
  return { source, properties, conversions };
}

interface ConversionRequest {
  source: SourceImage;
  bytes: Uint8Array;
  properties: ImageProperties;
  target: Target;
}

async function convert(
  { address, key }: Service,
  { source, bytes, properties, target }: ConversionRequest,
): Promise<Conversion> {
  const query = new URLSearchParams({
    ...{ metadata: 'keep', filename: basename(source.path), ...target },
    ...(source.width === undefined ? {} : { width: String(source.width) }),
  });
  const answer = await fetch(`${address}/api/v1/compress?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: new Uint8Array(bytes),
  });
  if (!answer.ok) {
    const { error } = (await answer.json()) as { error: { code: string } };
    return { source, target, refused: error.code, losses: [] };
  }
  const folder = await mkdtemp(join(tmpdir(), 'conversion-'));
  try {
    const file = join(folder, `result.${FORMATS[target.format].extensions[0]}`);
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    const result = await readProperties(file, target.format);
    const warnings = answer.headers.get('x-ic-warnings')?.split(',') ?? [];
    const losses = findLosses(properties, result, warnings);
    return { source, target, losses: await withoutEqualSamples(losses, corpusPath(source.path), file) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Encoders write fewer bits, or grey, if that is enough for all samples. Then nothing of them is lost. */
async function withoutEqualSamples(losses: readonly Loss[], source: string, result: string): Promise<readonly Loss[]> {
  const isAboutSamples = ({ column, warning }: Loss) => !warning && (column === 'depth' || column === 'colours');
  if (!losses.some(isAboutSamples) || !(await isSameImage(source, result))) return losses;
  return losses.filter((loss) => !isAboutSamples(loss));
}
