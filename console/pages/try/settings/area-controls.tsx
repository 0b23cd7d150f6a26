import { useState } from 'preact/hooks';
import type { FaceDetectionResult } from '../../../../client/types.generated.ts';
import { Control } from '../../../parameters/control.tsx';
import type { ControlProps } from '../../../parameters/controls.ts';
import { api } from '../../../shell/key.ts';
import type { LabelledBox } from '../../../ui/areas/boxes.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import type { DisplayedImage } from '../../../ui/image.ts';
import { AreaPicker, Boxes } from '../../../ui/lazy-components.tsx';
import { useAction } from '../../../ui/use-latest.ts';
import { formatArea, formatAreas, parseArea, parseAreas } from './area-text.ts';

interface BoxesControlProps extends ControlProps {
  file: File | undefined;
  image: DisplayedImage | undefined | null;
}

/** Edits the areas to cover: typed, drawn on the image, or taken from detected faces. */
export function BoxesControl({ file, image, ...props }: BoxesControlProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Control {...props} />
      {file && image && (
        <>
          <button type="button" onClick={() => setOpen(true)}>
            Draw on the image
          </button>
          <Dialog title="Areas to cover" isOpen={isOpen} onClose={() => setOpen(false)}>
            <Editor {...{ file, image }} value={props.value} onValue={props.onValue} onDone={() => setOpen(false)} />
          </Dialog>
        </>
      )}
    </>
  );
}

interface EditorProps extends Pick<ControlProps, 'value' | 'onValue'> {
  file: File;
  image: DisplayedImage;
  onDone(): void;
}

function Editor({ file, image, value, onValue, onDone }: EditorProps) {
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
      <Boxes {...{ image, boxes }} onBoxes={(next) => onValue(formatAreas(next) || undefined)} />
      <div>
        <button type="button" class="primary" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}

interface CropControlProps extends ControlProps {
  image: DisplayedImage | undefined | null;
  ratio?: number | undefined;
  head?: readonly [number, number] | undefined;
}

/** Edits an area: typed, or drawn on the image. */
export function CropControl({ image, ratio, head, ...props }: CropControlProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Control {...props} />
      {image && (
        <button type="button" onClick={() => setOpen(true)}>
          Choose on the image
        </button>
      )}
      {image && (
        <Dialog title="Crop" isOpen={isOpen} onClose={() => setOpen(false)}>
          <div class="wide">
            <AreaPicker
              {...{ image, ratio, head }}
              area={parseArea(props.value)}
              onArea={(area) => props.onValue(area && formatArea(area))}
            />
            <button type="button" class="primary" onClick={() => setOpen(false)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
