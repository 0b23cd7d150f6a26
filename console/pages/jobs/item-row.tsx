/** Shows the result of one image of a job. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobResult } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Failure, Tag } from '../../ui/feedback.tsx';
import { saveFile, toServicePath } from '../../ui/files.ts';
import { bytesText, changeText, durationText } from '../../ui/format.ts';
import { useAction } from '../../ui/use-latest.ts';
import { Thumbnail } from './chosen-files.tsx';
import { StatusTag } from './status-tag.tsx';

export function ItemRow({ result, isExpired }: { result: JobResult; isExpired: boolean }) {
  const { status, input, error, warnings } = result;
  return (
    <li class="card item">
      <LazyThumbnail result={result} isExpired={isExpired} />
      <div class="item-words">
        <p class="row">
          <strong class="file-name">{input}</strong>
          <StatusTag status={status} />
        </p>
        <Sizes result={result} />
        {warnings.length > 0 && (
          <p class="row">
            {warnings.map((warning) => (
              <Tag key={warning} kind="warning">
                {warning.replaceAll('_', ' ')}
              </Tag>
            ))}
          </p>
        )}
        {error && <Failure error={error} />}
      </div>
      {result.url !== null && !isExpired && <DownloadButton url={result.url} filename={result.filename ?? input} />}
    </li>
  );
}

function Sizes({
  result: { bytes, original_bytes: before, width, height, format, duration_ms: ms },
}: {
  result: JobResult;
}) {
  if (bytes === null || before === null) return null;
  return (
    <p class="figures">
      <span>
        {bytesText(before)} → <strong>{bytesText(bytes)}</strong>
      </span>
      <Tag kind={bytes <= before ? 'success' : 'warning'}>{changeText(before, bytes)}</Tag>
      <span class="help">
        {format} · {width} × {height}
        {ms !== null && ` · ${durationText(ms)}`}
      </span>
    </p>
  );
}

function DownloadButton({ url, filename }: { url: string; filename: string }) {
  const { error, run } = useAction();
  const download = async (signal: AbortSignal) =>
    saveFile(await (await api.value.send(toServicePath(url), { signal })).blob(), filename);
  return (
    <div class="item-download">
      <button type="button" aria-label={`Download ${filename}`} onClick={() => void run(download)}>
        Download
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}

/** Loads the thumbnail when it scrolls into view. */
function LazyThumbnail({ result: { url, format }, isExpired }: { result: JobResult; isExpired: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const [image, setImage] = useState<string>();
  useEffect(() => {
    if (url === null || isExpired || format === null) return;
    const controller = new AbortController();
    let made: string | undefined;
    const fetchIt = async () => {
      const file = await (await api.value.send(toServicePath(url), { signal: controller.signal })).blob();
      if (controller.signal.aborted) return;
      made = URL.createObjectURL(file);
      setImage(made);
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        // The thumbnail is decorative, so errors are ignored.
        fetchIt().catch(() => {});
      },
      { rootMargin: '200px' },
    );
    observer.observe(place.current!);
    return () => {
      observer.disconnect();
      controller.abort();
      if (made) URL.revokeObjectURL(made);
      setImage(undefined);
    };
  }, [url, isExpired]);
  return <div ref={place}>{image ? <Thumbnail url={image} /> : <span class="thumbnail" />}</div>;
}
