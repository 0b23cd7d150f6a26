import { useState } from 'preact/hooks';
import { Dialog } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/feedback.tsx';
import { sitesClient } from '../client.ts';
import type { SiteScan } from '../types.ts';

export function DeleteScan({ scan, onDeleted }: { scan: SiteScan; onDeleted(): void }) {
  const [isOpen, setOpen] = useState(false);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setOpen(false);
    setError(undefined);
  };
  const remove = async () => {
    setSending(true);
    try {
      await sitesClient.value.scans.delete(scan.id);
      onDeleted();
    } catch (reason) {
      setError(reason);
      setSending(false);
    }
  };
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Delete
      </button>
      <Dialog title="Delete this scan?" isOpen={isOpen} onClose={close}>
        <p>
          The scan of {scan.domain}, its results and its files are removed for good. What is being done for it is
          stopped. Your website is not touched.
        </p>
        {error !== undefined && <Notice error={error} />}
        <div class="row">
          <button type="button" class="danger" disabled={isSending} onClick={() => void remove()}>
            Delete
          </button>
          <button type="button" onClick={close}>
            Keep it
          </button>
        </div>
      </Dialog>
    </>
  );
}
