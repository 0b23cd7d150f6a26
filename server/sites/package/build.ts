/**
 * Builds the package of a scan (docs/spec/shapes.md, sections 17.4 and 17.8) from its rows. It replaces the previous
 * package.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Failure } from '../../../base/failure.ts';
import type { FileRecord } from '../../../storage/records/files.ts';
import type { SiteScan } from '../../../storage/records/site-scans.ts';
import { UNTIL_RELEASED } from '../../../storage/results.ts';
import { archiveOf } from '../../files/archive.ts';
import type { ScanContext } from '../runner/context.ts';
import { type Broadcast, broadcast } from './broadcast.ts';
import { type MappedLine, mappedLines, type PackedFile, scannedPages } from './mapping.ts';
import { mappingCsv, mappingJson, type PackageHead } from './mapping-files.ts';
import { markupPlaces } from './markup-places.ts';
import { PACKAGE_FILES, type PackageFile } from './package-files.ts';
import { reportCsv } from './report-csv.ts';
import { MAX_THUMBNAILS, readReport, reportHtml } from './report-html.ts';
import { apacheRules, netlifyRules, nginxRules } from './rules.ts';
import { agentInstructions, readme } from './texts.ts';
import { makeThumbnails } from './thumbnails.ts';

/**
 * Modification time of every ZIP entry: the earliest that the format can store. It is in local time, as ZIP stores it.
 */
const ENTRY_MODIFIED_AT = new Date(1980, 0, 1);

/** Number of lines between two progress updates. */
const LINES_PER_UPDATE = 100;

type Name = keyof typeof PACKAGE_FILES;

/** The id of the package that was built from a scan at a given time. */
export const packageIdOf = (scanId: string, builtAt: string): string =>
  `pack_${createHash('sha256').update(`${scanId} ${builtAt}`).digest('hex').slice(0, 26)}`;

/**
 * Builds the package and lists it for download. Nothing is listed before everything is written. If this throws or the
 * process ends, the previous package stays.
 * @throws Failure `file_too_large` before anything is written, `storage_full`
 */
export async function buildPackage(context: ScanContext): Promise<void> {
  const { services, signal } = context;
  const scan = await services.database.siteScans.find(context.scan.id);
  signal.throwIfAborted();
  if (!scan) return;
  const written = new Map<Name, FileRecord>();
  try {
    await new Build(context, scan, written).run();
  } catch (error) {
    for (const record of written.values()) await services.results.discard(record);
    throw error;
  }
}

class Build {
  readonly #context: ScanContext;
  readonly #scan: SiteScan;
  readonly #written: Map<Name, FileRecord>;
  readonly #head: PackageHead;

  constructor(context: ScanContext, scan: SiteScan, written: Map<Name, FileRecord>) {
    this.#context = context;
    this.#scan = scan;
    this.#written = written;
    // The start of this phase, which a restart does not change: the same rows give the same bytes.
    const createdAt = scan.phaseStartedAt ?? scan.createdAt;
    this.#head = {
      packageId: packageIdOf(scan.id, createdAt),
      scanId: scan.id,
      domain: scan.domain,
      createdAt,
      settings: JSON.parse(scan.settings),
      totals: scan.totals === null ? null : JSON.parse(scan.totals),
    };
  }

  async run(): Promise<void> {
    const { database } = this.#context.services;
    const lines = await database.siteMapping.count(this.#scan.id);
    const files = await this.#writeMap(lines);
    const report = await readReport(database, this.#scan.id);
    const thumbnails = await makeThumbnails(this.#context, report.assets.slice(0, MAX_THUMBNAILS));
    await this.#write('reportHtml', reportHtml(this.#head, report, thumbnails));
    await this.#write('reportCsv', reportCsv(database, this.#scan.id));
    await this.#writeZip(files, { head: this.#head, lines, bytesSaved: report.sums.bytesSaved });
    await this.#list();
  }

  /** Writes the files with a line for each image, in one pass. */
  async #writeMap(count: number): Promise<PackedFile[]> {
    const files: PackedFile[] = [];
    const all = broadcast(this.#lines(files, count), 5);
    const [json, csv, nginx, apache, netlify] = all.readers;
    const { database } = this.#context.services;
    const pages = scannedPages(database, this.#scan);
    await waitForAll(all, [
      this.#write('mappingJson', mappingJson(this.#head, json!, pages, markupPlaces(database, this.#scan))),
      this.#write('mappingCsv', mappingCsv(csv!)),
      this.#write('nginx', nginxRules(nginx!, count)),
      this.#write('apache', apacheRules(apache!)),
      this.#write('netlify', netlifyRules(netlify!)),
    ]);
    return files;
  }

  /**
   * Yields the lines and collects the files that they name. The list fits easily into memory: a ZIP holds at most
   * {@link MAX_ZIP_FILES} files.
   */
  async *#lines(files: PackedFile[], count: number): AsyncGenerator<MappedLine> {
    const { services, signal } = this.#context;
    const names = new Set<string>();
    let [bytes, done] = [0, 0];
    for await (const line of mappedLines(services.database, this.#scan)) {
      signal.throwIfAborted();
      for (const file of line.files) {
        if (names.has(file.name)) continue;
        names.add(file.name);
        files.push(file);
        bytes += file.bytes;
        if (files.length + TEXT_FILE_COUNT > MAX_ZIP_FILES || bytes > MAX_ZIP_BYTES) throw packageTooLarge();
      }
      if (done % LINES_PER_UPDATE === 0) await this.#reportProgress(done, count);
      done += 1;
      yield line;
    }
  }

  async #reportProgress(done: number, total: number): Promise<void> {
    const { services, tell } = this.#context;
    // An interrupted build begins again. Its progress is shown only once it exceeds the earlier progress.
    if (done < this.#scan.progressDone) return;
    await services.database.siteScans.change(this.#scan.id, { progressDone: done, progressTotal: total });
    tell({ type: 'progress', scanId: this.#scan.id });
  }

  async #writeZip(files: readonly PackedFile[], texts: Parameters<typeof readme>[0]): Promise<void> {
    const { results, localProgram } = this.#context.services;
    const program = await localProgram();
    const text = (filename: string, content: string) => ({
      filename,
      open: async () => Readable.from([Buffer.from(content)]),
    });
    const entries = [
      text('README.txt', readme(texts)),
      text('AGENT.md', agentInstructions(texts, program)),
      ...[...this.#written].flatMap(([name, record]) => {
        const { packed }: PackageFile = PACKAGE_FILES[name];
        return packed === undefined ? [] : { filename: packed, open: () => results.open(record) };
      }),
      ...files.map(({ name, fileId }) => ({ filename: name, open: () => results.open({ id: fileId }) })),
    ].sort((one, other) => (one.filename < other.filename ? -1 : 1));
    await this.#write('zip', archiveOf(entries, ENTRY_MODIFIED_AT));
  }

  async #write(name: Name, content: AsyncIterable<string | Uint8Array> | Iterable<string>): Promise<void> {
    const { services, signal, caller } = this.#context;
    const { name: filename, contentType, format } = PACKAGE_FILES[name];
    const chunks =
      name === 'zip' ? (content as AsyncIterable<Uint8Array>) : encodedText(content as AsyncIterable<string>);
    const watched = async function* () {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        yield chunk;
      }
    };
    const description = {
      filename: `${this.#scan.domain.replaceAll(/[^a-z0-9.-]/g, '_')}-${filename}`,
      contentType,
      format,
      width: null,
      height: null,
    };
    const record = await services.results.writeStream(caller.account.id, description, watched(), UNTIL_RELEASED);
    this.#written.set(name, record);
  }

  /** Replaces the old files with the new ones if the scan is still in this phase. */
  async #list(): Promise<void> {
    const { services, signal } = this.#context;
    const { id } = this.#scan;
    signal.throwIfAborted();
    const former = await services.database.transaction(async ({ files, siteDownloads, siteScans }) => {
      const present = await siteScans.find(id);
      if (present?.status !== this.#scan.status) return undefined;
      for (const record of this.#written.values()) await files.insert(record);
      const replaced = await siteDownloads.replace(
        id,
        [...this.#written].map(([name, { id: fileId, bytes, sha256 }]) => ({
          scanId: id,
          name: PACKAGE_FILES[name].name,
          contentType: PACKAGE_FILES[name].contentType,
          fileId,
          bytes,
          sha256,
          builtAt: this.#head.createdAt,
        })),
      );
      for (const fileId of replaced) await files.delete(fileId);
      return replaced;
    });
    // If the scan has left this phase, discard the new files: no record refers to them.
    const unused = former ?? [...this.#written.values()].map((record) => record.id);
    for (const fileId of unused) await services.results.discard({ id: fileId });
  }
}

/** Waits for all writers, also after one has failed, so that none continues in the background. */
async function waitForAll(source: Broadcast<unknown>, writing: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    writing.map((each) =>
      each.catch((error: unknown) => {
        source.stop(error);
        throw error;
      }),
    ),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Encodes text that is written into a file. */

/** Larger than any line, and small enough to be quick to encode. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Encodes text as UTF-8, in chunks large enough to be written one by one. */
async function* encodedText(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

function packageTooLarge(): Failure {
  const most = `${(MAX_ZIP_FILES - TEXT_FILE_COUNT).toLocaleString('en')} new files of ${MAX_ZIP_BYTES / 2 ** 30} GiB together`;
  return new Failure(
    'file_too_large',
    `Expected at most ${most} for a package but received more: reject some of them, or scan the website in parts.`,
  );
}

/**
 * Maximum number of files in a ZIP without the ZIP64 extension, which not every program supports (APPNOTE 6.3.10,
 * section 4.4).
 */
const MAX_ZIP_FILES = 0xffff;
/** A little less than the format's 4 GiB, because names and headers need space too. */
const MAX_ZIP_BYTES = 3.9 * 2 ** 30;
/** Number of files in a package besides the images. */
const TEXT_FILE_COUNT = 8;
