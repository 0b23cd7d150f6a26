import { useState } from 'preact/hooks';
import { api } from '../../../shell/key.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Spinner } from '../../../ui/feedback.tsx';
import type { DisplayedImage } from '../../../ui/image.ts';
import { MaskEditor } from '../../../ui/lazy-components.tsx';
import { useAction } from '../../../ui/use-latest.ts';
import { buildCall, type OperationRequest } from '../request/call.ts';

interface MaskCorrectionProps {
  asked: OperationRequest;
  image: DisplayedImage;
  /** Called with the corrected mask, to run the operation again. */
  onMask(mask: File): void;
}

/** Fetches the mask of a result and lets the user correct it. */
export function MaskCorrection({ asked, image, onMask }: MaskCorrectionProps) {
  const { error, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  const [mask, setMask] = useState<Blob>();
  const [corrected, setCorrected] = useState<Blob>();
  const open = async (signal: AbortSignal) => {
    setOpen(true);
    setCorrected(undefined);
    setMask(asked.parts.mask);
    if (asked.parts.mask) return;
    const { path, call } = buildCall({ ...asked, values: { mask: true } });
    setMask(await (await api.value.send(path, { ...call, signal })).blob());
  };
  return (
    <>
      <button type="button" onClick={() => void run(open)}>
        Correct the mask
      </button>
      <Dialog title="Correct the mask" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div class="wide stack">
          {error !== undefined && <ErrorNotice error={error} />}
          {mask ? (
            <MaskEditor {...{ image, mask }} onMask={setCorrected} />
          ) : (
            error === undefined && <Spinner label="Getting the mask" />
          )}
          <div class="row">
            <button
              type="button"
              class="primary"
              disabled={!corrected}
              onClick={() => {
                setOpen(false);
                onMask(new File([corrected!], 'mask.png', { type: 'image/png' }));
              }}
            >
              Run with this mask
            </button>
            <span class="help">An AI request, as the first one was.</span>
          </div>
        </div>
      </Dialog>
    </>
  );
}
