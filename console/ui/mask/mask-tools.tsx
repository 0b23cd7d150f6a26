import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { SegmentedControl } from '../segments.tsx';
import { type MaskView, SHADES } from './overlays.ts';
import { MIN_DIAMETER_PX, type Tool } from './use-brush.ts';

const TOOLS: readonly { value: Tool; label: string }[] = [
  { value: 'add', label: 'Add' },
  { value: 'remove', label: 'Remove' },
  { value: 'move', label: 'Move' },
];

export interface MaskToolsProps {
  tool: Signal<Tool>;
  shade: Signal<MaskView>;
  /** In pixels of the mask. */
  diameter: Signal<number>;
  maxDiameter: number;
  softness: Signal<number>;
}

export function MaskTools({ tool, shade, diameter, maxDiameter, softness }: MaskToolsProps) {
  return (
    <div class="mask-tools">
      <SegmentedControl label="Brush" options={TOOLS} value={tool.value} onValue={setterOf(tool)} />
      <Slider label="Size" value={diameter} min={MIN_DIAMETER_PX} max={maxDiameter} text={(value) => `${value} px`} />
      <Slider label="Softness" value={softness} min={0} max={100} text={(value) => `${value}%`} />
      <SegmentedControl label="What is seen" options={SHADES} value={shade.value} onValue={setterOf(shade)} />
    </div>
  );
}

interface SliderProps {
  label: string;
  value: Signal<number>;
  min: number;
  max: number;
  text(value: number): string;
}

function Slider({ label, value, min, max, text }: SliderProps) {
  const id = useId();
  return (
    <div class="mask-slider">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        value={value.value}
        aria-valuetext={text(value.value)}
        onInput={({ currentTarget }) => {
          value.value = Number(currentTarget.value);
        }}
      />
      <output for={id}>{text(value.value)}</output>
    </div>
  );
}

function setterOf<T>(signal: Signal<T>): (value: T) => void {
  return (value) => {
    signal.value = value;
  };
}
