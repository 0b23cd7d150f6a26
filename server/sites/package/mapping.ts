/** The replacement map of a scan (docs/spec/shapes.md, section 17.8), computed from its rows on each request. */
import { groupBy } from '../../../base/group-by.ts';
import type { Replacement, ReplacementCopy } from '../../../replacement-package/replacement.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import {
  type AddressRange,
  MAX_NEIGHBOURS,
  type MappedAsset,
  type MappedOutput,
} from '../../../storage/ports/site-mapping.ts';
import { AVIF_ID, EXTRA_OUTPUT_IDS, UNRESIZED_AVIF_ID, UNRESIZED_ID } from '../../../storage/records/site-outputs.ts';
import type { SiteScan } from '../../../storage/records/site-scans.ts';
import { writeSrcset } from '../../../web-documents/srcset.ts';
import { sitePart } from '../domain.ts';
import { type Place, placeOf, type SiteAddress, siteAddress, type TakenNames } from './paths.ts';

export interface PackedFile {
  /** Path in the package. */
  name: string;
  fileId: string;
  bytes: number;
}

/** A line with further data for the package. */
export interface MappedLine {
  line: Replacement;
  files: PackedFile[];
  /**
   * The image is on the site's own host, and a server that ignores case and scheme cannot confuse its address with
   * another.
   */
  hasRule: boolean;
}

type Mapped = Pick<Repositories, 'siteMapping'>;
type MappedScan = Pick<SiteScan, 'id' | 'origin' | 'domain'>;

const MAX_SPELLINGS = 100;
const MAX_PAGES = 20;
const BATCH = 100;
/**
 * Maximum number of references in a batch, unless a single asset has more. Larger queries would block all other
 * requests.
 */
const BATCH_REFERENCES = 10_000;

/** The lines of a scan, ordered by number and read in batches. */
export async function* mappedLines(database: Mapped, scan: MappedScan, after = 0): AsyncGenerator<MappedLine> {
  const lines = new Lines(database, scan);
  for (let last = after; ; ) {
    const assets = await database.siteMapping.batch(scan.id, last, BATCH);
    if (assets.length === 0) return;
    for (const batch of byReferences(assets)) yield* await lines.of(batch);
    last = assets.at(-1)!.seq;
  }
}

/** The lines of one page of the map. */
export async function readReplacements(
  database: Mapped,
  scan: MappedScan,
  { offset = 0, limit }: { offset?: number; limit: number },
): Promise<Replacement[]> {
  const found: Replacement[] = [];
  const first = await database.siteMapping.seqAt(scan.id, offset);
  if (first === undefined || limit === 0) return found;
  for await (const { line } of mappedLines(database, scan, first - 1)) {
    found.push(line);
    if (found.length === limit) break;
  }
  return found;
}

/** The line of one asset, or null when it is not mapped. */
export async function replacementOf(database: Mapped, scan: MappedScan, seq: number): Promise<Replacement | null> {
  const [asset] = await database.siteMapping.batch(scan.id, seq - 1, 1);
  if (asset?.seq !== seq) return null;
  const [mapped] = await new Lines(database, scan).of([asset]);
  return mapped?.line ?? null;
}

/** Splits assets into batches that can be queried without blocking other requests. */
export function* byReferences<T extends { references: number }>(assets: readonly T[]): Generator<T[]> {
  let batch: T[] = [];
  let references = 0;
  for (const asset of assets) {
    if (batch.length > 0 && references + asset.references > BATCH_REFERENCES) {
      yield batch;
      [batch, references] = [[], 0];
    }
    batch.push(asset);
    references += asset.references;
  }
  yield batch;
}

class Lines {
  readonly #mapping: Mapped['siteMapping'];
  readonly #scanId: string;
  readonly #siteHost: string;
  /** A cache of the first pages that lead to a style sheet or another shared source. */
  readonly #pagesOfSources = new Map<number, readonly number[]>();

  constructor({ siteMapping }: Mapped, { id, origin, domain }: MappedScan) {
    this.#mapping = siteMapping;
    this.#scanId = id;
    this.#siteHost = origin === null ? domain : sitePart(origin);
  }

  async of(assets: readonly MappedAsset[]): Promise<MappedLine[]> {
    const seqs = assets.map(({ seq }) => seq);
    const firsts = assets.flatMap(({ duplicateOf }) => duplicateOf ?? []);
    const outputs = groupBy(
      await this.#mapping.outputs(this.#scanId, [...new Set([...seqs, ...firsts])]),
      ({ assetSeq }) => assetSeq,
    );
    const firstUrls = await this.#mapping.urls(this.#scanId, firsts);
    const found = assets.flatMap((asset) => {
      const { duplicateOf } = asset;
      const shared = duplicateOf === null ? undefined : outputs.get(duplicateOf);
      const own = outputs.get(asset.seq) ?? shared;
      if (!own || !isChosen(own[0]!)) return [];
      // If the bytes are the same, this asset uses the file of the first asset with its content.
      const isShared = shared?.[0]?.sha256 === own[0]!.sha256;
      const first = isShared ? duplicateOf! : asset.seq;
      const home = siteAddress(isShared ? firstUrls.get(first)! : asset.url, this.#siteHost);
      return { asset, address: siteAddress(asset.url, this.#siteHost), outputs: own, first, home };
    });
    const around = await this.#readNeighbours(found);
    const raws = groupBy(await this.#mapping.spellings(this.#scanId, seqs, MAX_SPELLINGS), ({ assetSeq }) => assetSeq);
    const pages = await this.#pages(seqs);
    return found.map(({ asset, address, outputs: own, home }, index) => {
      const { own: beside, home: besideHome } = around[index]!;
      const place = placeOf(address, beside);
      const file = placeOf(home, besideHome);
      const spelled = raws.get(asset.seq)?.map(({ raw }) => raw) ?? [];
      const isAlone = !beside.sameAddress.some(
        (other) => siteAddress(other.url, this.#siteHost).path !== address.path || other.seq < asset.seq,
      );
      return {
        ...lineOf(asset, address, own, place, file, spelled, pages.get(asset.seq) ?? []),
        hasRule: address.host === undefined && isAlone,
      };
    });
  }

  /** Finds neighbouring addresses of each asset, and of the asset whose file it uses. */
  async #readNeighbours(
    found: readonly { asset: MappedAsset; address: SiteAddress; first: number; home: SiteAddress }[],
  ) {
    const ranges: AddressRange[] = [];
    const add = (address: SiteAddress, seq: number, content: number) => {
      for (const root of address.roots) {
        const exact = root + address.path.toLowerCase();
        const name = exact.slice(exact.lastIndexOf('/') + 1);
        const stem = exact.slice(0, exact.length - name.length + name.lastIndexOf('.'));
        // The range of texts that begin with `low` and a dot. It ends at `low` and a slash, the character after the
        // dot.
        for (const low of address.file ? [stem, exact] : [])
          ranges.push({ key: ranges.length, low: `${low}.`, high: `${low}/`, seq, content });
        ranges.push({ key: ranges.length, low: exact, high: `${exact}\u0001`, seq, content: 0 });
      }
    };
    for (const { asset, address, first, home } of found) {
      add(address, asset.seq, first);
      if (first !== asset.seq) add(home, first, first);
    }
    const beside = groupBy(await this.#mapping.neighbours(this.#scanId, ranges), ({ key }) => key);
    let next = 0;
    const read = (address: SiteAddress, content: number) => {
      const taken: TakenNames = { stemTaken: false, nameTaken: false, addressTaken: false };
      const sameAddress = [];
      for (const _ of address.roots) {
        if (address.file) {
          if (beside.has(next++)) taken.stemTaken = true;
          if (beside.has(next++)) taken.nameTaken = true;
        }
        const same = beside.get(next++) ?? [];
        sameAddress.push(...same);
        if (same.length === MAX_NEIGHBOURS || same.some((other) => other.content !== content))
          taken.addressTaken = true;
      }
      return { ...taken, sameAddress };
    };
    return found.map(({ asset, address, first, home }) => {
      const own = read(address, first);
      return { own, home: first === asset.seq ? own : read(home, first) };
    });
  }

  /** The first pages that use each asset, directly or through documents that they link. */
  async #pages(seqs: readonly number[]): Promise<Map<number, string[]>> {
    const pages = new Map(seqs.map((seq) => [seq, new Set<number>()]));
    for (const { assetSeq, page } of await this.#mapping.ownPages(this.#scanId, seqs, MAX_PAGES))
      pages.get(assetSeq)!.add(page);
    for (const { assetSeq, sourceSeq } of await this.#mapping.sharedSources(this.#scanId, seqs))
      for (const page of await this.#pagesOf(sourceSeq)) pages.get(assetSeq)!.add(page);
    const first = [...pages].map(
      ([seq, used]) => [seq, [...used].sort((one, other) => one - other).slice(0, MAX_PAGES)] as const,
    );
    const urls = await this.#mapping.pageUrls(this.#scanId, [...new Set(first.flatMap(([, used]) => used))]);
    return new Map(first.map(([seq, used]) => [seq, used.flatMap((page) => urls.get(page) ?? [])]));
  }

  async #pagesOf(sourceSeq: number): Promise<readonly number[]> {
    const known = this.#pagesOfSources.get(sourceSeq);
    if (known) return known;
    const pages = await this.#mapping.pagesLeadingTo(this.#scanId, sourceSeq, MAX_PAGES);
    this.#pagesOfSources.set(sourceSeq, pages);
    return pages;
  }
}

/**
 * Makes the line of an asset.
 * @param place the file's place on the site
 * @param file the file's place in the package: its own, or that of another asset with the same content
 */
function lineOf(
  asset: MappedAsset,
  address: SiteAddress,
  outputs: readonly MappedOutput[],
  place: Place,
  file: Place,
  raw: string[],
  pages: string[],
): Pick<MappedLine, 'line' | 'files'> {
  const [chosen, ...others] = outputs as [MappedOutput, ...MappedOutput[]];
  const variants = others.filter(({ kind }) => kind === 'variant');
  const whole = others.find(({ id, width }) => id === UNRESIZED_ID && width > chosen.width);
  const avif = others.find((each) => [AVIF_ID, UNRESIZED_AVIF_ID].includes(each.id) && isSmallerCopy(each, chosen));
  const wholeAvif = whole && others.find((each) => each.id === UNRESIZED_AVIF_ID && isSmallerCopy(each, whole));
  const to = file.to(chosen.format);
  const copyOf = (output: MappedOutput, to: string, toPath: string): ReplacementCopy => {
    const { sha256, bytes, width, height } = output;
    return { to, to_path: toPath, sha256, bytes, width, height };
  };
  const wideCopyOf = (output: MappedOutput): ReplacementCopy =>
    copyOf(output, file.variant(output.format, output.width).to, place.variant(output.format, output.width).toPath);
  const srcset = variants.map(wideCopyOf);
  const unresized = whole && wideCopyOf(whole);
  const avifCopy = avif && {
    ...copyOf(avif, file.to(avif.format), place.toPath(avif.format)),
    unresized: wholeAvif ? wideCopyOf(wholeAvif) : null,
  };
  const toPath = place.toPath(chosen.format);
  const widths = [{ to_path: toPath, width: chosen.width }, ...srcset, ...(unresized ? [unresized] : [])].map(
    ({ to_path: address, width }) => ({ address, width }),
  );
  const fromBytes = asset.bytes ?? 0;
  return {
    line: {
      seq: asset.seq,
      from: asset.url,
      from_path: address.path,
      raw,
      to,
      to_path: toPath,
      from_sha256: asset.sha256 ?? '',
      from_bytes: fromBytes,
      from_format: asset.format ?? '',
      from_width: asset.width,
      from_height: asset.height,
      to_sha256: chosen.sha256,
      to_bytes: chosen.bytes,
      to_format: chosen.format,
      to_width: chosen.width,
      to_height: chosen.height,
      saved_bytes: fromBytes - chosen.bytes,
      similarity: chosen.similarity,
      approval: asset.approval === 'approved' ? 'approved' : 'auto',
      srcset,
      unresized: unresized ?? null,
      avif: avifCopy ?? null,
      srcset_markup: widths.length > 1 ? writeSrcset(widths) : null,
      roles: JSON.parse(asset.roles) as string[],
      pages,
      pages_total: asset.pages,
    },
    files: [
      { name: to, fileId: chosen.fileId, bytes: chosen.bytes },
      ...(unresized ? [packed(unresized, whole!)] : []),
      ...(avifCopy ? [packed(avifCopy, avif!)] : []),
      ...(avifCopy?.unresized ? [packed(avifCopy.unresized, wholeAvif!)] : []),
      ...variants.map(({ fileId, bytes }, index) => ({ name: srcset[index]!.to, fileId, bytes })),
    ],
  };
}

const packed = ({ to }: ReplacementCopy, { fileId, bytes }: MappedOutput): PackedFile => ({ name: to, fileId, bytes });

/** Checked because another output may have been chosen since the two were made for each other. */
function isSmallerCopy(avif: MappedOutput, webp: MappedOutput): boolean {
  return (
    avif.format === 'avif' &&
    webp.format === 'webp' &&
    avif.bytes < webp.bytes &&
    avif.width === webp.width &&
    avif.height === webp.height
  );
}

/** True when the output is a chosen one. Pass the first output of an asset: the chosen output, if any, comes first. */
const isChosen = ({ id, kind }: MappedOutput): boolean =>
  kind !== 'variant' && !(EXTRA_OUTPUT_IDS.includes(id) && kind === 'candidate');

const PAGES_AT_ONCE = 1000;

/** The addresses of the pages that a scan has read, ordered by number. */
export async function* scannedPages(database: Mapped, { id }: Pick<SiteScan, 'id'>): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const pages = await database.siteMapping.scannedPages(id, after, PAGES_AT_ONCE);
    const last = pages.at(-1);
    if (!last) return;
    for (const { url } of pages) yield url;
    after = last.seq;
  }
}
