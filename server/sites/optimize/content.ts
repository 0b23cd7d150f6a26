/**
 * Converts one content of a scan: from its original to the transaction that stores its results for all its addresses.
 */
import { Failure, internalError } from '../../../base/failure.ts';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import { ONE_REQUEST } from '../../account/credits.ts';
import { ownerOf } from '../../account/owner.ts';
import type { ScanContext } from '../runner/context.ts';
import { ScanPhaseChanged } from '../runner/errors.ts';
import { convert, minify, planConversion } from './conversion.ts';
import type { ConversionStore } from './conversion-store.ts';
import { type EligibilityRules, skipReasons } from './eligibility.ts';
import { Original, OriginalUnavailable } from './original.ts';

/** Failures of the service rather than of the image. */
const SERVICE_ERROR_CODES: ReadonlySet<string> = new Set([
  'overloaded',
  'shutting_down',
  'storage_full',
  'quota_exceeded',
  'key_limit_exceeded',
  'test_limit_exceeded',
]);

/**
 * Converts the content of an asset for all assets with that content that are waiting or were converted before.
 * @throws Failure of the service; the abort reason of the signal
 */
export async function convertContent(
  context: ScanContext,
  keeper: ConversionStore,
  qualification: EligibilityRules,
  { seq, sha256 }: SiteAsset,
): Promise<void> {
  const { scan, settings, services, signal, caller } = context;
  const { siteOutputs } = services.database;
  const all = await siteOutputs.ofContent(scan.id, sha256!);
  const asset = all.find((each) => each.seq === seq && each.wanted === 1);
  // If the asset was rejected in the meantime, the next round skips it.
  if (!asset) return;
  const skipReasonOf = await skipReasons(all, qualification);
  if (skipReasonOf(asset)) return;
  const isServed = (each: SiteAsset) =>
    (each.wanted === 1 || each.status === 'optimized') && skipReasonOf(each) === undefined;
  const served = [asset, ...all.filter((each) => each !== asset && isServed(each))] as const;
  const places = await siteOutputs.placeFacts(
    scan.id,
    served.map((each) => each.seq),
  );
  const plan = planConversion(served, places, settings);
  const key = JSON.stringify(plan);
  const known = all.find(
    ({ conversion, chosen, skipReason }) => conversion === key && (chosen || skipReason === 'no_gain'),
  );
  if (known && (await keeper.share(known, served, key))) return;

  await keeper.begin(served);
  const room = services.uploads.open();
  try {
    room.reserve(asset.bytes ?? 0);
    const reservation = await services.ledger.reserve(caller, 'sites', ONE_REQUEST);
    const bytesIn = asset.bytes ?? 0;
    try {
      const original = new Original(context, keeper, asset, all);
      const options = { settings, owner: ownerOf(caller), signal, read: () => original.read() };
      const files =
        asset.kind === 'vector'
          ? await minify(services.engine, asset, options)
          : await convert(services.engine, asset, plan, options);
      signal.throwIfAborted();
      if (files) await keeper.keep(served, files, key, { reservation, bytesIn });
      else {
        await reservation.release(bytesIn);
        await keeper.noGain(served, key);
      }
    } catch (error) {
      await reservation.release(bytesIn).catch(() => {});
      throw error;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OriginalUnavailable) return;
    if (error instanceof ScanPhaseChanged || (error instanceof Failure && SERVICE_ERROR_CODES.has(error.code)))
      throw error;
    if (!(error instanceof Failure))
      context.log.error({ err: error, scan_id: scan.id, asset: seq }, 'an image of a scan failed by our fault');
    await keeper.fail(asset, served, error instanceof Failure ? error : internalError(error));
  } finally {
    room.release();
  }
}
