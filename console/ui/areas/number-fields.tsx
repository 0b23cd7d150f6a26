import { useState } from 'preact/hooks';
import { TextField } from '../fields.tsx';
import type { Box, DisplayedImage } from '../image.ts';
import { withNumber } from './geometry.ts';

const NAMES = { x: 'Left', y: 'Top', width: 'Width', height: 'Height' } as const satisfies Record<keyof Box, string>;

export interface NumberFieldsProps {
  image: DisplayedImage;
  /** Without an area, the fields are empty and the first number typed starts from the whole image. */
  area: Box | undefined;
  ratio?: number | undefined;
  onArea(area: Box): void;
}

/** Edits an area as numbers, in pixels. */
export function NumberFields({ image, area, ratio, onArea }: NumberFieldsProps) {
  // While the user types, the field shows the typed text, even if the area is limited to possible values.
  const [typed, setTyped] = useState<{ name: keyof Box; text: string }>();
  const take = (name: keyof Box, text: string) => {
    setTyped({ name, text });
    if (!/^\d+$/.test(text)) return;
    const { width, height } = image;
    onArea(withNumber(area ?? { x: 0, y: 0, width, height }, name, Number(text), image, ratio));
  };
  return (
    <fieldset class="area-numbers" onFocusOut={() => setTyped(undefined)}>
      <legend class="hidden">Area in pixels</legend>
      {(Object.keys(NAMES) as (keyof Box)[]).map((name) => (
        <TextField
          key={name}
          label={NAMES[name]}
          type="number"
          min={name === 'x' || name === 'y' ? 0 : 1}
          max={name === 'x' || name === 'width' ? image.width : image.height}
          step={1}
          value={typed?.name === name ? typed.text : area ? String(area[name]) : ''}
          onValue={(text) => take(name, text)}
        />
      ))}
    </fieldset>
  );
}
