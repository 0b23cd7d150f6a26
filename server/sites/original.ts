/** Fetches the original of an image from its website for a viewer (docs/spec/shapes.md, section 17.7). */

import { sha256 } from '../../base/sha256.ts';
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';
import type { SiteAsset } from '../../storage/records/site-assets.ts';
import type { SentFile } from '../files/send.ts';
import { urlFetchFailed } from '../http/outgoing-errors.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import { IMAGE_ACCEPT } from './image-accept.ts';
import type { SiteServices } from './services.ts';
import { createSingleClient } from './single-client.ts';

const UNKNOWN_TYPE = 'application/octet-stream';

interface OriginalFetch {
  maxBytes: number;
  /** The memory reservation that the file counts towards. */
  room: MemoryReservation;
  signal: AbortSignal;
}

/**
 * Fetches an original in its present state. Nothing is stored.
 * @throws Failure `url_fetch_failed`, `url_not_allowed`, `file_too_large` or `overloaded`
 */
export async function fetchOriginal(
  services: SiteServices,
  asset: SiteAsset,
  { maxBytes, room, signal }: OriginalFetch,
): Promise<SentFile> {
  const client = createSingleClient(services);
  try {
    room.reserve(asset.bytes ?? 0);
    const { status, data } = await client.fetch({ url: asset.url, accept: IMAGE_ACCEPT, maxBytes, signal });
    if (status !== 200) throw urlFetchFailed(`status ${status}`);
    room.reserve(data.byteLength);
    return describe(asset, data, await sha256(data));
  } finally {
    client.close();
  }
}

function describe(asset: SiteAsset, data: ArrayBuffer, hash: string): SentFile {
  // Content that has changed since the scan is unknown, so it is sent as a download of no particular type: nothing from
  // a website may run in our origin.
  const isKnown = hash === asset.sha256;
  const { format, contentType, width, height, kind, seq } = asset;
  return {
    filename: filenameOf(asset.url, isKnown ? (format as FormatId | null) : null) ?? `image-${seq}`,
    contentType: (isKnown && contentType) || UNKNOWN_TYPE,
    format: isKnown ? format : null,
    width: isKnown ? width : null,
    height: isKnown ? height : null,
    bytes: data.byteLength,
    sha256: hash,
    secondsLeft: 0,
    isDownload: !isKnown || kind === 'vector',
    open: (range) => (range ? new Uint8Array(data, range.start, range.end - range.start + 1) : new Uint8Array(data)),
  };
}

/** The last part of the path, with the extension of the actual format. */
function filenameOf(url: string, format: FormatId | null): string | undefined {
  const last = new URL(url).pathname.split('/').at(-1);
  if (!last || format === null) return last || undefined;
  const extensions: readonly string[] = FORMATS[format].extensions;
  return extensions.some((extension) => last.toLowerCase().endsWith(`.${extension}`))
    ? last
    : `${last}.${extensions[0]}`;
}
