import { useState } from 'preact/hooks';
import type { Job } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useLatestTask } from '../../ui/use-latest.ts';

export function CancelButton({ job: { id }, onJob }: { job: Job; onJob(job: Job): void }) {
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<unknown>();
  const latest = useLatestTask();
  const cancel = async () => {
    setOpen(false);
    setError(undefined);
    try {
      const job = await latest((signal) => api.value.json<Job>(`/api/v1/jobs/${id}`, { method: 'DELETE', signal }));
      if (job) onJob(job);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Cancel the job
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
      <Dialog title="Cancel the job?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>Images that are done keep their results. The others are not begun any more, and cost nothing.</p>
        <div class="row">
          <button type="button" class="danger" onClick={() => void cancel()}>
            Cancel it
          </button>
          <button type="button" onClick={() => setOpen(false)}>
            Let it go on
          </button>
        </div>
      </Dialog>
    </>
  );
}
