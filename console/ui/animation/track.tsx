import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { frameAt, type Range, secondsText, timeAfterKey, totalDuration, withSide } from './times.ts';

export interface TrackProps {
  edges: readonly number[];
  range: Range;
  onRange(range: Range): void;
  /** Current position in milliseconds. Undefined if single frames cannot be decoded. */
  position: number | undefined;
  onPosition(time: number): void;
  /** Called with the time under the pointer. */
  onHover(time: number | undefined): void;
  /** The thumbnails. */
  children: ComponentChildren;
}

type Handle = keyof Range | 'position';

/** Shows the timeline from left to right, with handles for the range and the position. */
export function Track({ edges, range, onRange, position, onPosition, onHover, children }: TrackProps) {
  const track = useRef<HTMLDivElement>(null);
  const held = useRef<Handle | undefined>(undefined);
  const total = totalDuration(edges);

  const timeOf = ({ clientX }: PointerEvent): number => {
    const { left, width } = track.current!.getBoundingClientRect();
    return Math.max(0, Math.min(total, ((clientX - left) / width) * total));
  };
  const set = (grip: Handle, time: number) =>
    grip === 'position' ? onPosition(Math.min(time, total - 1)) : onRange(withSide(edges, range, grip, time));
  const press = (event: PointerEvent) => {
    if (!event.isPrimary || event.button !== 0) return;
    held.current = ((event.target as HTMLElement).dataset.grip as Handle | undefined) ?? 'position';
    track.current!.setPointerCapture(event.pointerId);
    if (held.current === 'position') set('position', timeOf(event));
  };
  const move = (event: PointerEvent) => {
    const time = timeOf(event);
    if (held.current) set(held.current, time);
    if (event.pointerType === 'mouse') onHover(held.current === 'start' || held.current === 'end' ? undefined : time);
  };
  const lift = () => {
    held.current = undefined;
  };

  const at = (time: number) => `${(time / total) * 100}%`;
  const slider = (grip: Handle, label: string, time: number) => (
    <div
      class={`grip ${grip}`}
      data-grip={grip}
      style={{ left: at(time) }}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total / 1000}
      aria-valuenow={time / 1000}
      aria-valuetext={`${secondsText(time)}, frame ${frameAt(edges, grip === 'end' ? time - 1 : time) + 1}`}
      onKeyDown={(event) => {
        const next = timeAfterKey(edges, time, event.key);
        if (next === undefined) return;
        event.preventDefault();
        set(grip, next);
      }}
    />
  );
  return (
    <div
      ref={track}
      class="track"
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={lift}
      onPointerCancel={lift}
      onPointerLeave={() => onHover(undefined)}
    >
      {children}
      <span class="left-out" style={{ left: 0, width: at(range.start) }} />
      <span class="left-out" style={{ left: at(range.end), right: 0 }} />
      {position !== undefined && slider('position', 'Position', position)}
      {slider('start', 'Start of what is kept', range.start)}
      {slider('end', 'End of what is kept', range.end)}
    </div>
  );
}
