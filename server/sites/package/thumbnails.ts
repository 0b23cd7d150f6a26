/** Small images of the new files, embedded in the report, so that opening it loads nothing from the network. */
import { Failure } from '../../../base/failure.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { ReportedAsset } from '../../../storage/ports/site-report.ts';
import { ownerOf } from '../../account/owner.ts';
import { receive } from '../../http/response-body.ts';
import type { ScanContext } from '../runner/context.ts';

const MAX_SIDE_PIXELS = 160;
const WEBP_QUALITY = 60;
/** Maximum size of a file from which a thumbnail is made, in bytes. */
const MAX_SOURCE_BYTES = 10_000_000;
/** Maximum size of a thumbnail, in bytes. Only an animation may exceed it, and then has none. */
const MAX_THUMBNAIL_BYTES = 20_000;

const params = compressParams.extend(sourceParams.shape).parse({
  format: 'webp',
  mode: 'quality',
  quality: WEBP_QUALITY,
  max_width: MAX_SIDE_PIXELS,
  max_height: MAX_SIDE_PIXELS,
  metadata: 'strip',
});

export interface Thumbnail {
  /** Data URI. */
  url: string;
  width: number;
  height: number;
}

/** Makes thumbnails, by asset number. Files from which none can be made are omitted. */
export async function makeThumbnails(
  { services: { engine, results }, caller, signal }: Pick<ScanContext, 'services' | 'caller' | 'signal'>,
  assets: readonly ReportedAsset[],
): Promise<Map<number, Thumbnail>> {
  const thumbnails = new Map<number, Thumbnail>();
  const options = { lane: 'background', owner: ownerOf(caller), signal } as const;
  for (const { seq, fileId, toBytes } of assets) {
    if (fileId === null || toBytes === null || toBytes > MAX_SOURCE_BYTES) continue;
    signal.throwIfAborted();
    const data = await receive(await results.open({ id: fileId }), MAX_SOURCE_BYTES);
    try {
      const small = await engine.run('compress', { image: { data }, params }, options);
      if (small.data.byteLength > MAX_THUMBNAIL_BYTES) continue;
      const url = `data:image/webp;base64,${Buffer.from(small.data).toString('base64')}`;
      thumbnails.set(seq, { url, width: small.width, height: small.height });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure) || error.code === 'shutting_down') throw error;
    }
  }
  return thumbnails;
}
