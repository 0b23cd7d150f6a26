/** Frames of an animation, decoded one at a time beside the page's own thread; each is drawn and closed at once. */

export const canDecode = (): boolean => 'ImageDecoder' in globalThis;

export interface Frames {
  /** @returns false where it cannot be decoded */
  draw(index: number, into: (frame: VideoFrame) => void): Promise<boolean>;
  close(): void;
}

/** @param bytes are copied by the decoder */
export function openFrames(bytes: Uint8Array<ArrayBuffer>, type: string): Frames {
  const decoder = new ImageDecoder({ data: bytes, type });
  // Closing ends what is under way with an error, which nobody waits for then.
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

/** Draws a frame over a canvas, as large as it fits. */
export function paint(canvas: HTMLCanvasElement, frame: VideoFrame): void {
  const context = canvas.getContext('2d')!;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(frame, 0, 0, canvas.width, canvas.height);
}
