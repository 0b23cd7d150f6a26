import { canDecode, type Frames, openFrames } from './decoding.ts';
import { animationType, frameDelays } from './frame-times.ts';
import { edgesOf } from './times.ts';

export interface Animation {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  /** When each frame begins, in milliseconds; the last number is the end. */
  edges: number[];
  width: number;
  height: number;
  frames: Frames;
}

/** What can be shown of a file: its frames; its times alone where the browser cannot decode single frames; or neither. */
export type Loaded = Animation | { edges: number[] | undefined };

export async function loadAnimation(file: Blob): Promise<Loaded> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const type = animationType(bytes);
  const delays = frameDelays(bytes);
  if (type === undefined || delays.length === 0) return { edges: undefined };
  const edges = edgesOf(delays);
  if (!canDecode()) return { edges };
  const frames = openFrames(bytes, type);
  let size: { width: number; height: number } | undefined;
  await frames.draw(0, ({ displayWidth: width, displayHeight: height }) => {
    size = { width, height };
  });
  if (size) return { bytes, type, edges, ...size, frames };
  frames.close();
  return { edges };
}
