/** Stores the results of image conversions: rows, files, charges and progress. Each step is one transaction. */
import type { Failure } from '../../../base/failure.ts';
import { timestamp } from '../../../base/timestamp.ts';
import { FORMATS, type FormatId } from '../../../codecs/formats/registry.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import type { FileRecord } from '../../../storage/records/files.ts';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import type { SiteOutput } from '../../../storage/records/site-outputs.ts';
import { UNTIL_RELEASED } from '../../../storage/results.ts';
import type { Reservation } from '../../account/ledger.ts';
import { percentOf } from '../findings/totals.ts';
import type { ScanContext } from '../runner/context.ts';
import { ScanPhaseChanged } from '../runner/errors.ts';
import type { Converted } from './conversion.ts';
import { type EligibilityRules, skipReasons } from './eligibility.ts';
import { isMapped } from './mapping-rule.ts';

const NO_RESULT = { mapped: 0, wanted: 0, bytesSaved: 0, savedPercent: 0, chosen: null } as const;
const NO_ERROR = { errorCode: null, errorMessage: null } as const;

export class ConversionStore {
  readonly #context: ScanContext;
  readonly #qualification: EligibilityRules;
  #done: number;
  #total = 0;
  #bytesFetched: number;

  constructor(context: ScanContext, qualification: EligibilityRules) {
    this.#context = context;
    this.#qualification = qualification;
    this.#bytesFetched = context.scan.bytesFetched;
    // Includes the assets that were done before the phase was interrupted.
    this.#done = context.scan.progressDone;
  }

  /** Bytes that may still be fetched. */
  get bytesLeft(): number {
    return this.#context.scan.bytesAllowed - this.#bytesFetched;
  }

  async start(): Promise<void> {
    const { scan, services } = this.#context;
    this.#total = this.#done + (await services.database.siteOutputs.countWanted(scan.id));
    await this.#transaction(0, null, async () => {});
  }

  /** Stores skip reasons of the assets that are not converted. Returns the numbers of the others. */
  async skip(assets: readonly SiteAsset[]): Promise<ReadonlySet<number>> {
    const { scan } = this.#context;
    const reasonOf = await skipReasons(assets, this.#qualification);
    const rest = new Set(assets.map(({ seq }) => seq));
    const skipped = assets.filter(reasonOf);
    if (skipped.length === 0) return rest;
    await this.#transaction(skipped.length, null, async ({ siteOutputs }) => {
      for (const asset of await siteOutputs.some(scan.id, seqsOf(skipped))) {
        // The asset may have been approved in the meantime: then it comes again in the next round.
        const skipReason = reasonOf(asset);
        if (!skipReason) continue;
        // Keep the result: whoever rejects it may want it back.
        if (skipReason === 'rejected' && asset.chosen !== null)
          await siteOutputs.change(scan.id, [asset.seq], { status: 'optimized', mapped: 0, wanted: 0 });
        else await this.#withoutResult({ siteOutputs }, [asset.seq], { status: 'skipped', skipReason, ...NO_ERROR });
      }
    });
    for (const { seq } of skipped) rest.delete(seq);
    this.#finish(skipped);
    return rest;
  }

  /** Marks assets as being converted. */
  async begin(assets: readonly SiteAsset[]): Promise<void> {
    const seqs = seqsOf(wantedOf(assets));
    await this.#transaction(0, assets[0]?.url ?? null, ({ siteOutputs }) =>
      siteOutputs.change(this.#context.scan.id, seqs, { status: 'optimizing' }),
    );
    this.#emitAssets(seqs);
  }

  async noGain(assets: readonly SiteAsset[], conversion: string): Promise<void> {
    const changes = { status: 'skipped', skipReason: 'no_gain', conversion, ...NO_ERROR } as const;
    await this.#transaction(wantedOf(assets).length, null, ({ siteOutputs }) =>
      this.#withoutResult({ siteOutputs }, seqsOf(assets), changes),
    );
    this.#finish(assets);
  }

  /**
   * Marks an asset as failed. If the failure concerns only its address, other assets with the same content are
   * released: they may still be available at their own addresses.
   */
  async fail(asset: SiteAsset, served: readonly SiteAsset[], { code, message }: Failure): Promise<void> {
    const isOfAddress = code === 'url_fetch_failed' || code === 'invalid_url' || code === 'url_not_allowed';
    const failed = isOfAddress ? [asset] : wantedOf(served);
    const others = served.filter((each) => !failed.includes(each));
    const changes = { status: 'failed', skipReason: null, errorCode: code, errorMessage: message } as const;
    await this.#transaction(wantedOf(failed).length, null, async ({ siteOutputs }) => {
      await this.#withoutResult({ siteOutputs }, seqsOf(failed), changes);
      await this.#release({ siteOutputs }, others);
    });
    this.#finish(failed);
  }

  /**
   * Notes bytes received over the network. If the content has changed, resets the asset so that it is converted again.
   */
  async received(asset: SiteAsset, bytes: number, changes: Partial<SiteAsset> | undefined): Promise<void> {
    const { scan } = this.#context;
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
          duplicateOf: null,
          ...NO_RESULT,
          wanted: 1,
        } as const;
        await this.#withoutResult({ siteOutputs }, [asset.seq], again);
        await siteOutputs.nameAnotherFirst(scan.id, asset);
      },
      bytes,
    );
  }

  /** Skips an asset whose original may not be fetched. */
  async leave(asset: SiteAsset): Promise<void> {
    await this.#leave(1, asset.seq);
    this.#finish([asset]);
  }

  /**
   * Gives assets the results of an asset that was converted in the same way.
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
    await this.#transaction(wantedOf(assets).length, null, async (repositories) => {
      for (const asset of await repositories.siteOutputs.some(known.scanId, seqsOf(assets)))
        if (asset.seq === known.seq)
          await repositories.siteOutputs.change(known.scanId, [asset.seq], this.#result(asset, chosen, conversion));
        else await this.#storeOutputs(repositories, asset, outputs, chosen, conversion);
    });
    this.#finish(assets);
    return true;
  }

  /** Stores files together with their charge, or nothing. */
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
        await this.#report(repositories, wantedOf(assets).length, null, 0);
        for (const file of files) await repositories.files.insert(file);
        // Read the assets again: one may have been rejected in the meantime.
        const present = await repositories.siteOutputs.some(scan.id, seqsOf(assets));
        for (const asset of present) await this.#storeOutputs(repositories, asset, outputs, outputs[0]!, conversion);
        await repositories.siteOutputs.countCharge(scan.id);
      });
    } catch (error) {
      for (const file of files) await services.results.discard(file);
      throw error;
    }
    this.#done += wantedOf(assets).length;
    this.#finish(assets);
  }

  /** Skips all assets that are still waiting: there are no credits for them. */
  async leaveRest(): Promise<void> {
    await this.#leave(0);
  }

  async #leave(ended: number, seq?: number): Promise<void> {
    const { scan } = this.#context;
    await this.#transaction(ended, null, async ({ siteOutputs, siteCrawl }) => {
      await siteOutputs.leaveWanted(scan.id, seq);
      await siteCrawl.warn(scan.id, 'over_limit');
    });
  }

  /** Returns the assets of a content to the waiting state. */
  async putBack({ sha256 }: SiteAsset): Promise<void> {
    const { scan, services } = this.#context;
    const all = await services.database.siteOutputs.ofContent(scan.id, sha256!);
    await this.#transaction(0, null, ({ siteOutputs }) => this.#release({ siteOutputs }, all));
  }

  async #write({ data, filename, format, width, height }: Converted): Promise<FileRecord> {
    const { scan, services } = this.#context;
    const contentType = FORMATS[format as FormatId].contentTypes[0];
    const result = { data, filename, contentType, format, width, height };
    return await services.results.write(scan.accountId, result, UNTIL_RELEASED);
  }

  async #storeOutputs(
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
      mapped: Number(isMapped(asset, chosen, this.#context.settings, this.#qualification.isOwn)),
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
    await siteOutputs.change(this.#context.scan.id, seqsOf(wantedOf(assets)), { status: 'ready' });
  }

  get #now(): string {
    return timestamp(this.#context.services.now());
  }

  /** @param ended number of assets that end with this transaction */
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

  /** @throws ScanPhaseChanged */
  async #report({ siteCrawl }: Pick<Repositories, 'siteCrawl'>, ended: number, url: string | null, bytes: number) {
    const { scan, signal } = this.#context;
    signal.throwIfAborted();
    const done = this.#done + ended;
    const total = Math.max(this.#total, done);
    const fetched = await siteCrawl.report(scan.id, 'optimizing', { done, total, url, bytes });
    if (fetched === undefined) throw new ScanPhaseChanged();
    this.#bytesFetched = fetched;
  }

  #emitAssets(seqs: readonly number[]): void {
    for (const seq of seqs) this.#context.tell({ type: 'asset', scanId: this.#context.scan.id, seq });
  }

  /** Removes the originals of assets that have ended, and announces the assets. */
  #finish(assets: readonly SiteAsset[]): void {
    const { originals, scan, log } = this.#context;
    for (const { seq } of assets)
      originals
        .remove(scan.id, seq)
        .catch((error) => log.error({ err: error, scan_id: scan.id }, 'an original could not be removed'));
    this.#emitAssets(seqsOf(assets));
  }
}

const wantedOf = (assets: readonly SiteAsset[]) => assets.filter(({ wanted }) => wanted === 1);
const seqsOf = (assets: readonly SiteAsset[]) => assets.map(({ seq }) => seq);
