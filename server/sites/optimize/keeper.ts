/** Keeps what becomes of the images that are converted: rows, files, charges and progress, each step in one transaction. */
import type { Failure } from '../../../base/failure.ts';
import { FORMATS, type FormatId } from '../../../codecs/formats.ts';
import type { Repositories } from '../../../storage/database.ts';
import type { FileRecord } from '../../../storage/repositories/files.ts';
import type { SiteAsset, SiteOutput } from '../../../storage/repositories/site-outputs.ts';
import { type AssetSkipReason, timestamp } from '../../../storage/schema.ts';
import type { Reservation } from '../../account/ledger.ts';
import { percentOf } from '../findings/totals.ts';
import type { ScanContext } from '../runner/context.ts';
import { ScanLeft } from '../runner/errors.ts';
import type { Converted } from './conversion.ts';
import { isMapped } from './mapping-rule.ts';
import type { Qualification } from './qualify.ts';

const NO_RESULT = { mapped: 0, wanted: 0, bytesSaved: 0, savedPercent: 0, chosen: null } as const;
const NO_ERROR = { errorCode: null, errorMessage: null } as const;

export class Keeper {
  readonly #context: ScanContext;
  readonly #isOwn: (url: string) => boolean;
  #done = 0;
  #total = 0;

  constructor(context: ScanContext, { isOwn }: Pick<Qualification, 'isOwn'>) {
    this.#context = context;
    this.#isOwn = isOwn;
  }

  async start(): Promise<void> {
    const { scan, services } = this.#context;
    this.#total = await services.database.siteOutputs.countWanted(scan.id);
    await this.#transaction(0, null, async () => {});
  }

  /** Says why assets are not converted. */
  async skip(reasons: ReadonlyMap<SiteAsset, AssetSkipReason>): Promise<void> {
    if (reasons.size === 0) return;
    const { scan } = this.#context;
    await this.#transaction(reasons.size, null, async ({ siteOutputs }) => {
      for (const [{ seq, chosen }, skipReason] of reasons) {
        // Whoever rejects a result may want it back.
        if (skipReason === 'rejected' && chosen !== null)
          await siteOutputs.change(scan.id, [seq], { status: 'optimized', mapped: 0, wanted: 0 });
        else await this.#withoutResult({ siteOutputs }, [seq], { status: 'skipped', skipReason, ...NO_ERROR });
      }
    });
    this.#ended([...reasons.keys()]);
  }

  /** Conversion of assets begins. */
  async begin(assets: readonly SiteAsset[]): Promise<void> {
    const seqs = assets.filter(({ wanted }) => wanted === 1).map(({ seq }) => seq);
    await this.#transaction(0, assets[0]?.url ?? null, ({ siteOutputs }) =>
      siteOutputs.change(this.#context.scan.id, seqs, { status: 'optimizing' }),
    );
    this.#tell(seqs);
  }

  async noGain(assets: readonly SiteAsset[], conversion: string): Promise<void> {
    const seqs = assets.map(({ seq }) => seq);
    await this.#transaction(wantedIn(assets), null, ({ siteOutputs }) =>
      this.#withoutResult({ siteOutputs }, seqs, { status: 'skipped', skipReason: 'no_gain', conversion, ...NO_ERROR }),
    );
    this.#ended(assets);
  }

  /** The others of its content may still be there at their own addresses. */
  async fail(asset: SiteAsset, served: readonly SiteAsset[], { code, message }: Failure): Promise<void> {
    const isOfAddress = code === 'url_fetch_failed' || code === 'invalid_url' || code === 'url_not_allowed';
    const failed = isOfAddress ? [asset] : served.filter(({ wanted }) => wanted === 1);
    const others = served.filter((each) => !failed.includes(each));
    await this.#transaction(wantedIn(failed), null, async ({ siteOutputs }) => {
      const changes = { status: 'failed', skipReason: null, errorCode: code, errorMessage: message } as const;
      await this.#withoutResult(
        { siteOutputs },
        failed.map(({ seq }) => seq),
        changes,
      );
      await this.#release({ siteOutputs }, others);
    });
    this.#ended(failed);
  }

  /** Bytes have come over the network; where they are others than before, the asset is looked at anew. */
  async received(asset: SiteAsset, bytes: number, changes: Partial<SiteAsset> | undefined): Promise<void> {
    const { scan, originals } = this.#context;
    await this.#transaction(
      0,
      null,
      async ({ siteOutputs }) => {
        if (!changes) return;
        const again = {
          ...changes,
          status: 'ready',
          skipReason: null,
          conversion: null,
          ...NO_RESULT,
          wanted: 1,
        } as const;
        await this.#withoutResult({ siteOutputs }, [asset.seq], again);
      },
      bytes,
    );
    if (changes) await originals.remove(scan.id, asset.seq);
  }

  /**
   * Gives assets what one of them has that was converted in the same way.
   * @returns false when its files are gone
   */
  async share(known: SiteAsset, assets: readonly SiteAsset[], conversion: string): Promise<boolean> {
    const { database } = this.#context.services;
    const outputs = await database.siteOutputs.of(known.scanId, known.seq);
    const chosen = outputs.find(({ id }) => id === known.chosen);
    if (!chosen) {
      if (known.chosen === null) await this.noGain(assets, conversion);
      return known.chosen === null;
    }
    const file = await database.files.find(chosen.fileId);
    if (!file || file.expiresAt <= this.#now) return false;
    await this.#transaction(wantedIn(assets), null, async (repositories) => {
      for (const asset of assets)
        if (asset.seq === known.seq)
          await repositories.siteOutputs.change(known.scanId, [asset.seq], this.#result(asset, chosen, conversion));
        else await this.#give(repositories, asset, outputs, chosen, conversion);
    });
    this.#ended(assets);
    return true;
  }

  /** Keeps files with their charge, or nothing. */
  async keep(
    assets: readonly SiteAsset[],
    converted: readonly [Converted, ...Converted[]],
    conversion: string,
    { reservation, bytesIn }: { reservation: Reservation; bytesIn: number },
  ): Promise<void> {
    const { scan, services } = this.#context;
    const files: FileRecord[] = [];
    try {
      for (const each of converted) files.push(await this.#write(each));
      const outputs = converted.map(({ data, ...output }, index) => {
        const { id: fileId, sha256, bytes } = files[index]!;
        return { ...output, scanId: scan.id, assetSeq: 0, bytes, sha256, fileId };
      });
      const bytesOut = outputs.reduce((sum, { bytes }) => sum + bytes, 0);
      await reservation.charge({ bytesIn, bytesOut }, async (repositories) => {
        await this.#report(repositories, wantedIn(assets), null, 0);
        for (const file of files) await repositories.files.insert(file);
        for (const asset of assets) await this.#give(repositories, asset, outputs, outputs[0]!, conversion);
        await repositories.siteOutputs.countCharge(scan.id);
      });
    } catch (error) {
      for (const file of files) await services.results.discard(file);
      throw error;
    }
    this.#done += wantedIn(assets);
    this.#ended(assets);
  }

  /** Leaves out what is still asked for: there are no credits for it. */
  async leaveRest(): Promise<void> {
    const { scan } = this.#context;
    await this.#transaction(0, null, async ({ siteOutputs, siteCrawl }) => {
      await siteOutputs.leaveWanted(scan.id);
      await siteCrawl.warn(scan.id, 'over_limit');
    });
  }

  /** It waits again. */
  async putBack({ sha256 }: SiteAsset): Promise<void> {
    const { scan, services } = this.#context;
    const all = await services.database.siteOutputs.ofContent(scan.id, sha256!);
    await this.#transaction(0, null, ({ siteOutputs }) => this.#release({ siteOutputs }, all));
  }

  async #write({ data, filename, format, width, height }: Converted): Promise<FileRecord> {
    const { scan, services } = this.#context;
    const contentType = FORMATS[format as FormatId].contentTypes[0];
    const left = scan.expiresAt === null ? undefined : Date.parse(scan.expiresAt) - services.now();
    // The scan decides in the end how long its files are kept.
    const life = left === undefined ? {} : { seconds: Math.max(1, Math.ceil(left / 1000)) };
    return await services.results.write(scan.accountId, { data, filename, contentType, format, width, height }, life);
  }

  async #give(
    { siteOutputs }: Pick<Repositories, 'siteOutputs'>,
    asset: SiteAsset,
    outputs: readonly SiteOutput[],
    chosen: SiteOutput,
    conversion: string,
  ): Promise<void> {
    const { scan } = this.#context;
    const own = outputs.map((output) => ({ ...output, assetSeq: asset.seq }));
    await siteOutputs.replace(scan.id, asset.seq, own, this.#now);
    await siteOutputs.change(scan.id, [asset.seq], this.#result(asset, chosen, conversion));
  }

  #result(asset: SiteAsset, chosen: SiteOutput, conversion: string) {
    const saved = Math.max(0, (asset.bytes ?? 0) - chosen.bytes);
    return {
      ...NO_ERROR,
      status: 'optimized',
      skipReason: null,
      wanted: 0,
      chosen: chosen.id,
      bytesSaved: saved,
      savedPercent: percentOf(saved, asset.bytes ?? 0),
      mapped: Number(isMapped(asset, chosen, this.#context.settings, this.#isOwn)),
      conversion,
    } as const;
  }

  async #withoutResult(
    { siteOutputs }: Pick<Repositories, 'siteOutputs'>,
    seqs: readonly number[],
    changes: Partial<SiteAsset>,
  ): Promise<void> {
    const { scan } = this.#context;
    for (const seq of seqs) await siteOutputs.replace(scan.id, seq, [], this.#now);
    await siteOutputs.change(scan.id, seqs, { ...NO_RESULT, ...changes });
  }

  async #release({ siteOutputs }: Pick<Repositories, 'siteOutputs'>, assets: readonly SiteAsset[]): Promise<void> {
    const waiting = assets.filter(({ wanted }) => wanted === 1).map(({ seq }) => seq);
    await siteOutputs.change(this.#context.scan.id, waiting, { status: 'ready' });
  }

  get #now(): string {
    return timestamp(this.#context.services.now());
  }

  /** @param ended how many assets more have ended when it is kept */
  async #transaction(
    ended: number,
    url: string | null,
    work: (repositories: Repositories) => Promise<void>,
    bytes = 0,
  ): Promise<void> {
    await this.#context.services.database.transaction(async (repositories) => {
      await this.#report(repositories, ended, url, bytes);
      await work(repositories);
    });
    this.#done += ended;
  }

  /** @throws ScanLeft */
  async #report({ siteCrawl }: Pick<Repositories, 'siteCrawl'>, ended: number, url: string | null, bytes: number) {
    const { scan, signal } = this.#context;
    signal.throwIfAborted();
    const done = this.#done + ended;
    const total = Math.max(this.#total, done);
    const kept = await siteCrawl.report(scan.id, 'optimizing', { done, total, url, bytes });
    if (kept === undefined) throw new ScanLeft();
  }

  #tell(seqs: readonly number[]): void {
    for (const seq of seqs) this.#context.tell({ type: 'asset', scanId: this.#context.scan.id, seq });
    this.#context.tell({ type: 'progress', scanId: this.#context.scan.id });
  }

  /** Their originals are not needed any more. */
  #ended(assets: readonly SiteAsset[]): void {
    const { originals, scan, log } = this.#context;
    for (const { seq } of assets)
      originals
        .remove(scan.id, seq)
        .catch((error) => log.error({ err: error, scan_id: scan.id }, 'an original could not be removed'));
    this.#tell(assets.map(({ seq }) => seq));
  }
}

const wantedIn = (assets: readonly SiteAsset[]) => assets.filter(({ wanted }) => wanted === 1).length;
