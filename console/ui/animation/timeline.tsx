import './timeline.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Spinner } from '../feedback.tsx';
import { TextField } from '../fields.tsx';
import { countText } from '../format.ts';
import { coalesceCalls } from './coalesce-calls.ts';
import { paint } from './decoding.ts';
import { type Animation, type Loaded, loadAnimation } from './load.ts';
import { Strip } from './strip.tsx';
import { frameAt, frameCount, type Range, rangeOf, secondsOf, secondsText, totalDuration } from './times.ts';
import { Track } from './track.tsx';

export interface TimelineProps {
  /** A GIF or an animated WebP. */
  file: Blob;
  /** In seconds. */
  start: number | undefined;
  end: number | undefined;
  onRange(start: number | undefined, end: number | undefined): void;
}

/** Shows the frames of an animation along its time, with handles to trim it. */
export function Timeline({ file, start, end, onRange }: TimelineProps) {
  const loaded = useLoaded(file);
  if (!loaded) return <Spinner label="Reading the frames" />;
  return (
    <div class="timeline">
      {loaded.edges === undefined ? (
        <PlainImage file={file} />
      ) : (
        <FrameTimeline
          file={file}
          loaded={loaded}
          edges={loaded.edges}
          range={rangeOf(loaded.edges, start, end)}
          onRange={(range) => onRange(...secondsOf(loaded.edges!, range))}
        />
      )}
      {!('frames' in loaded) && <RangeFields start={start} end={end} onRange={onRange} />}
    </div>
  );
}

function useLoaded(file: Blob): Loaded | undefined {
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    let isWanted = true;
    let mine: Loaded | undefined;
    const close = () => mine && 'frames' in mine && mine.frames.close();
    setLoaded(undefined);
    loadAnimation(file).then(
      (given) => {
        mine = given;
        if (isWanted) setLoaded(given);
        else close();
      },
      () => isWanted && setLoaded({ edges: undefined }),
    );
    return () => {
      isWanted = false;
      close();
    };
  }, [file]);
  return loaded;
}

interface FramesInTimeProps {
  file: Blob;
  loaded: Loaded;
  edges: number[];
  range: Range;
  onRange(range: Range): void;
}

function FrameTimeline({ file, loaded, edges, range, onRange }: FramesInTimeProps) {
  const [position, setPosition] = useState(range.start);
  const [hovered, setHovered] = useState<number>();
  const [isPlaying, setPlaying] = useState(false);
  const frame = frameAt(edges, position);
  const shown = hovered === undefined || isPlaying ? frame : frameAt(edges, hovered);
  const isDecoded = 'frames' in loaded;

  useEffect(() => {
    if (!isPlaying) return;
    const isInside = edges[frame + 1]! > range.start && edges[frame]! < range.end;
    const from = isInside ? Math.max(edges[frame]!, range.start) : range.start;
    const until = isInside ? Math.min(edges[frame + 1]!, range.end) : range.start;
    const timer = setTimeout(() => setPosition(until >= range.end ? range.start : until), until - from);
    return () => clearTimeout(timer);
  }, [isPlaying, position, range.start, range.end]);

  const seek = (time: number) => {
    setPlaying(false);
    setPosition(time);
  };
  const change = (next: Range) => {
    onRange(next);
    // Shows the frame at the moved handle.
    seek(next.start === range.start ? Math.max(0, next.end - 1) : next.start);
  };
  const step = (by: number) => seek(edges[Math.max(0, Math.min(frameCount(edges) - 1, frame + by))]!);

  return (
    <>
      {isDecoded ? <Player animation={loaded} frame={shown} /> : <PlainImage file={file} />}
      {isDecoded && (
        <div class="row">
          <button type="button" onClick={() => step(-1)} aria-label="Previous frame">
            ‹
          </button>
          <button type="button" class="play" onClick={() => setPlaying(!isPlaying)}>
            {isPlaying ? 'Pause' : 'Play'}
          </button>
          <button type="button" onClick={() => step(1)} aria-label="Next frame">
            ›
          </button>
          <span class="frame-told">
            Frame {countText(shown + 1)} of {countText(frameCount(edges))}, at {secondsText(edges[shown]!)}
          </span>
        </div>
      )}
      <Track
        edges={edges}
        range={range}
        onRange={change}
        position={isDecoded ? position : undefined}
        onPosition={seek}
        onHover={setHovered}
      >
        {isDecoded && <Strip {...loaded} shape={loaded.width / loaded.height} />}
      </Track>
      <p class="help">
        {countText(frameCount(edges))} {frameCount(edges) === 1 ? 'frame' : 'frames'},{' '}
        {secondsText(totalDuration(edges))}. Kept: {secondsText(range.start)} to {secondsText(range.end)}.
      </p>
    </>
  );
}

/** Shows the animation as the browser plays it. */
function PlainImage({ file }: { file: Blob }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url ? <img class="player" src={url} alt="The animation" /> : null;
}

/** Edits the range as numbers, in seconds. Empty fields mean the whole animation. */
function RangeFields({ start, end, onRange }: Pick<TimelineProps, 'start' | 'end' | 'onRange'>) {
  const [typed, setTyped] = useState<{ side: keyof Range; text: string }>();
  const take = (side: keyof Range, text: string) => {
    setTyped({ side, text });
    const seconds = text === '' ? undefined : Number(text);
    if (seconds !== undefined && !(seconds >= 0)) return;
    onRange(side === 'start' ? seconds : start, side === 'end' ? seconds : end);
  };
  const field = (side: keyof Range, label: string, value: number | undefined) => (
    <TextField
      label={label}
      type="number"
      min={0}
      step="any"
      value={typed?.side === side ? typed.text : String(value ?? '')}
      onValue={(text) => take(side, text)}
    />
  );
  return (
    <fieldset class="range-fields" onFocusOut={() => setTyped(undefined)}>
      <legend class="hidden">What is kept, in seconds</legend>
      {field('start', 'From second', start)}
      {field('end', 'To second', end)}
    </fieldset>
  );
}

/** A preview needs no more pixels. */
const MAX_SIDE_PX = 640;

/** Shows one frame at preview size. */
function Player({ animation, frame }: { animation: Animation; frame: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, frames } = animation;
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(width, height));
  const show = useMemo(
    () =>
      coalesceCalls((index: number) => frames.draw(index, (image) => canvas.current && paint(canvas.current, image))),
    [frames],
  );
  useEffect(() => show(frame), [show, frame]);
  return (
    <canvas
      ref={canvas}
      class="player"
      role="img"
      aria-label={`Frame ${frame + 1}`}
      width={Math.max(1, Math.round(width * scale))}
      height={Math.max(1, Math.round(height * scale))}
    />
  );
}
