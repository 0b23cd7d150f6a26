import { useState } from 'preact/hooks';
import { Control } from '../../../parameters/control.tsx';
import type { ControlProps } from '../../../parameters/control-props.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import type { Picture } from '../../../ui/picture.ts';
import { AreaPicker } from '../heavy-parts.tsx';
import { areaOf, areaText } from './area-text.ts';

interface CropControlProps extends ControlProps {
  picture: Picture | undefined | null;
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
              area={areaOf(props.value)}
              onArea={(area) => props.onValue(area && areaText(area))}
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
