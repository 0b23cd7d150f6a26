import { canDecode, type Frames, openFrames } from './decoding.ts';
import { animationType, frameDelays } from './frame-times.ts';
import { edgesOf } from './times.ts';

export interface Animation {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  /** Start of each frame in milliseconds. The last entry is the end. */
  edges: number[];
  width: number;
  height: number;
  frames: Frames;
}

/** A loaded animation. Only its times if the browser cannot decode single frames, and neither for other files. */
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
