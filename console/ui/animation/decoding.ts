/** Decodes frames of an animation one at a time, off the main thread. Each frame is drawn and closed immediately. */

export const canDecode = (): boolean => 'ImageDecoder' in globalThis;

export interface Frames {
  /** @returns false if the frame cannot be decoded */
  draw(index: number, into: (frame: VideoFrame) => void): Promise<boolean>;
  close(): void;
}

/** @param bytes copied by the decoder */
export function openFrames(bytes: Uint8Array<ArrayBuffer>, type: string): Frames {
  const decoder = new ImageDecoder({ data: bytes, type });
  // Closing the decoder rejects `completed`, which nothing awaits by then.
  decoder.completed.catch(() => {});
  return {
    async draw(frameIndex, into) {
      try {
        const { image } = await decoder.decode({ frameIndex });
        try {
          into(image);
        } finally {
          image.close();
        }
        return true;
      } catch {
        return false;
      }
    },
    close: () => decoder.close(),
  };
}

/** Draws a frame over the whole canvas. */
export function paint(canvas: HTMLCanvasElement, frame: VideoFrame): void {
  const context = canvas.getContext('2d')!;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(frame, 0, 0, canvas.width, canvas.height);
}
