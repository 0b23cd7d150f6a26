import { useState } from 'preact/hooks';
import type { Job } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { Choice, Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useAction } from '../../ui/use-latest.ts';

export function CancelButton({ job: { id }, onJob }: { job: Job; onJob(job: Job): void }) {
  const [isOpen, setOpen] = useState(false);
  const { error, run } = useAction();
  const cancel = async (signal: AbortSignal) => {
    setOpen(false);
    onJob(await api.value.json<Job>(`/api/v1/jobs/${id}`, { method: 'DELETE', signal }));
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Cancel the job
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
      <Dialog title="Cancel the job?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>Images that are done keep their results. The others are not begun any more, and cost nothing.</p>
        <Choice
          confirm="Cancel it"
          cancel="Let it go on"
          onConfirm={() => void run(cancel)}
          onCancel={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}
