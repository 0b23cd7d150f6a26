import { useState } from 'preact/hooks';
import type { Job } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fetchFile } from '../../ui/fetch-file.ts';
import { bytesText } from '../../ui/format.ts';
import { saveFile } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-latest.ts';

/** Downloads all results as one ZIP and shows the progress. */
export function DownloadAll({ job: { id, totals } }: { job: Job }) {
  const [bytes, setBytes] = useState(0);
  const { isBusy, error, run } = useAction();
  const download = async (signal: AbortSignal) => {
    setBytes(0);
    saveFile(await fetchFile(api.value, `/api/v1/jobs/${id}/zip`, { signal, onBytes: setBytes }), `${id}.zip`);
  };
  return (
    <>
      <button type="button" class="primary" aria-disabled={isBusy} onClick={() => isBusy || void run(download)}>
        Download all as ZIP
      </button>
      {isBusy && (
        <label class="progress">
          <span>
            {/* A ZIP is slightly larger than its files, so the count is capped. */}
            {bytesText(Math.min(bytes, totals.bytes))} of {bytesText(totals.bytes)}
          </span>
          <progress value={bytes} max={Math.max(1, totals.bytes)} />
        </label>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
