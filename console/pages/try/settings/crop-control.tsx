import { useState } from 'preact/hooks';
import { Control } from '../../../parameters/control.tsx';
import type { ControlProps } from '../../../parameters/control-props.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import type { DisplayedImage } from '../../../ui/image.ts';
import { AreaPicker } from '../lazy-components.tsx';
import { formatArea, parseArea } from './area-text.ts';

interface CropControlProps extends ControlProps {
  picture: DisplayedImage | undefined | null;
  ratio?: number | undefined;
  head?: readonly [number, number] | undefined;
}

/** Edits an area: typed, or drawn on the image. */
export function CropControl({ picture, ratio, head, ...props }: CropControlProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Control {...props} />
      {picture && (
        <button type="button" onClick={() => setOpen(true)}>
          Choose on the picture
        </button>
      )}
      {picture && (
        <Dialog title="Crop" isOpen={isOpen} onClose={() => setOpen(false)}>
          <div class="wide">
            <AreaPicker
              {...{ picture, ratio, head }}
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
