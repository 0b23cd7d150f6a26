import { useState } from 'preact/hooks';
import { Compare } from '../../../ui/compare/compare.tsx';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { toServicePath } from '../../../ui/files.ts';
import { bytesText } from '../../../ui/format.ts';
import { scanPath } from '../paths.ts';
import type { SiteAsset } from '../types.ts';
import { useFile } from './use-file.ts';

/** Compares the original, as the website serves it now, with the new file. */
export function BeforeAfter({ scanId, asset }: { scanId: string; asset: SiteAsset }) {
  const { seq, kind, status, optimized, bytes, width, height } = asset;
  const hasOriginal = kind !== 'data_uri' && kind !== 'unknown' && status !== 'failed';
  const before = useFile(hasOriginal ? `${scanPath(scanId, 'assets', seq, 'file')}?which=original` : undefined);
  const after = useFile(optimized ? toServicePath(optimized.url) : undefined);
  const label = `Original, ${bytes === null ? 'not read' : bytesText(bytes)}`;
  if (!hasOriginal) return null;
  if (before.error !== undefined && !after.url)
    return (
      <Notice error={before.error} kind="warning">
        The original cannot be fetched from the website now.
      </Notice>
    );
  if (optimized && before.url && after.url && width && height)
    return (
      <Compare
        before={{ url: before.url, width, height, label }}
        after={{
          url: after.url,
          width: optimized.width,
          height: optimized.height,
          label: `New, ${bytesText(optimized.bytes)}`,
        }}
      />
    );
  const url = optimized ? after.url : before.url;
  if (url === undefined || (optimized && before.error === undefined)) return <Spinner label="Fetching the image" />;
  return (
    <>
      {before.error !== undefined && (
        <Notice error={before.error} kind="warning">
          The original cannot be fetched from the website now.
        </Notice>
      )}
      <SingleImage url={url} label={optimized ? `New, ${bytesText(optimized.bytes)}` : label} />
    </>
  );
}

function SingleImage({ url, label }: { url: string; label: string }) {
  const [isUnreadable, setUnreadable] = useState(false);
  if (isUnreadable) return <Notice>This browser cannot show the file.</Notice>;
  return (
    <figure class="one-image">
      <img src={url} alt="" decoding="async" onError={() => setUnreadable(true)} />
      <figcaption class="help">{label}</figcaption>
    </figure>
  );
}
