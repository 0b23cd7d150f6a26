import { useState } from 'preact/hooks';
import type { FaceDetectionResult } from '../../../../client/types.generated.ts';
import { Control } from '../../../parameters/control.tsx';
import type { ControlProps } from '../../../parameters/control-props.ts';
import { api } from '../../../shell/key.ts';
import type { LabelledBox } from '../../../ui/areas/boxes.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import type { DisplayedImage } from '../../../ui/image.ts';
import { useAction } from '../../../ui/use-latest.ts';
import { Boxes } from '../lazy-components.tsx';
import { formatAreas, parseAreas } from './area-text.ts';

interface BoxesControlProps extends ControlProps {
  file: File | undefined;
  picture: DisplayedImage | undefined | null;
}

/** Edits the areas to cover: typed, drawn on the image, or taken from detected faces. */
export function BoxesControl({ file, picture, ...props }: BoxesControlProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Control {...props} />
      {file && picture && (
        <>
          <button type="button" onClick={() => setOpen(true)}>
            Draw on the picture
          </button>
          <Dialog title="Areas to cover" isOpen={isOpen} onClose={() => setOpen(false)}>
            <Editor {...{ file, picture }} value={props.value} onValue={props.onValue} onDone={() => setOpen(false)} />
          </Dialog>
        </>
      )}
    </>
  );
}

interface EditorProps extends Pick<ControlProps, 'value' | 'onValue'> {
  file: File;
  picture: DisplayedImage;
  onDone(): void;
}

function Editor({ file, picture, value, onValue, onDone }: EditorProps) {
  const { isBusy, error, run } = useAction();
  const [found, setFound] = useState<number>();
  const find = async (signal: AbortSignal) => {
    const body = new FormData();
    body.append('image', file);
    const { faces } = await api.value.json<FaceDetectionResult>('/api/v1/faces', { method: 'POST', body, signal });
    setFound(faces.length);
    if (faces.length > 0) onValue(formatAreas(faces));
  };
  const boxes: LabelledBox[] = parseAreas(value).map((box, index) => ({ ...box, label: `Area ${index + 1}` }));
  return (
    <div class="wide stack">
      <div class="row">
        <button type="button" disabled={isBusy} onClick={() => void run(find)}>
          Find faces first
        </button>
        <span class="help">This is an AI request of its own.</span>
      </div>
      {isBusy && <Spinner label="Looking for faces" />}
      {error !== undefined && <ErrorNotice error={error} />}
      {found === 0 && <Notice>No faces were found. Draw the areas yourself.</Notice>}
      <Boxes {...{ picture, boxes }} onBoxes={(next) => onValue(formatAreas(next) || undefined)} />
      <div>
        <button type="button" class="primary" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
