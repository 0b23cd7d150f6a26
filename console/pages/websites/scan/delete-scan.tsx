import { useState } from 'preact/hooks';
import { Choice, Dialog } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/feedback.tsx';
import { useAction } from '../../../ui/use-latest.ts';
import { sitesClient } from '../client.ts';
import type { SiteScan } from '../types.ts';

export function DeleteScan({ scan, onDeleted }: { scan: SiteScan; onDeleted(): void }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Delete
      </button>
      <Dialog title="Delete this scan?" isOpen={isOpen} onClose={close}>
        <Question scan={scan} onCancel={close} onDeleted={onDeleted} />
      </Dialog>
    </>
  );
}

function Question({ scan, onCancel, onDeleted }: { scan: SiteScan; onCancel(): void; onDeleted(): void }) {
  const { isBusy, error, run } = useAction();
  const remove = async () => {
    await sitesClient.value.scans.delete(scan.id);
    onDeleted();
  };
  return (
    <>
      <p>
        The scan of {scan.domain}, its results and its files are removed for good. What is being done for it is stopped.
        Your website is not touched.
      </p>
      {error !== undefined && <Notice error={error} />}
      <Choice {...{ isBusy, onCancel }} confirm="Delete" cancel="Keep it" onConfirm={() => void run(remove)} />
    </>
  );
}
