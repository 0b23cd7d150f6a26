/** Records what a page shows as an animation, one screenshot for each step, and shows where the pointer is. */
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

/** Of a movement of the pointer. */
const FRAME_MS = 80;
const FRAMES_OF_A_MOVE = 5;
const FRAMES_OF_A_DRAG = 8;

interface Point {
  x: number;
  y: number;
}

interface Frame {
  png: Buffer;
  durationMs: number;
}

export class Recording {
  readonly #page: Page;
  readonly #frames: Frame[] = [];
  #pointer: Point = { x: 640, y: 420 };

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Screenshots have no pointer, so the page gets one. */
  static async start(page: Page): Promise<Recording> {
    const recording = new Recording(page);
    await page.evaluate(addPointer);
    await recording.#show(recording.#pointer);
    return recording;
  }

  /** Adds what the page shows now. */
  async hold(durationMs: number): Promise<void> {
    this.#frames.push({ png: await this.#page.screenshot({ animations: 'disabled' }), durationMs });
  }

  async moveTo(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    await this.#moveAlong(await centreOf(target), FRAMES_OF_A_MOVE);
    await this.hold(400);
  }

  /** Drags a handle to places in a frame, as shares of its width. */
  async drag(handle: Locator, frame: Locator, places: readonly number[]): Promise<void> {
    await this.moveTo(handle);
    const { x, width } = (await frame.first().boundingBox())!;
    await this.#page.mouse.down();
    for (const place of places) await this.#moveAlong({ x: x + width * place, y: this.#pointer.y }, FRAMES_OF_A_DRAG);
    await this.#page.mouse.up();
  }

  async #moveAlong(end: Point, steps: number): Promise<void> {
    const start = this.#pointer;
    for (let step = 1; step <= steps; step++) {
      // Slow at both ends.
      const share = (1 - Math.cos((Math.PI * step) / steps)) / 2;
      await this.#show({ x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share });
      await this.hold(FRAME_MS);
    }
  }

  async #show(point: Point): Promise<void> {
    this.#pointer = point;
    await this.#page.mouse.move(point.x, point.y);
    await this.#page.evaluate(movePointer, point);
  }

  /** What the page shows now, without the pointer, as PNG. */
  async still(): Promise<Buffer> {
    await this.#page.evaluate(movePointer, { x: -100, y: -100 });
    const png = await this.#page.screenshot({ animations: 'disabled' });
    await this.#show(this.#pointer);
    return png;
  }

  /** The animation, as WebP without loss. */
  frames(): Promise<Buffer> {
    const images = this.#frames.map(({ png }) => png);
    const delay = this.#frames.map(({ durationMs }) => durationMs);
    return sharp(images, { join: { animated: true } })
      .webp({ lossless: true, effort: 0, delay, loop: 0 })
      .toBuffer();
  }
}

async function centreOf(target: Locator): Promise<Point> {
  const { x, y, width, height } = (await target.first().boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}

/** Runs in the page. The style is set by script: the content security policy forbids it as an attribute. */
function addPointer(): void {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.id = 'recorded-pointer';
  svg.setAttribute('viewBox', '0 0 16 24');
  const arrow = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  arrow.setAttribute('d', 'M1 1v18l4.5-4 3 7 3-1.3-3-6.7H14Z');
  arrow.setAttribute('fill', '#fff');
  arrow.setAttribute('stroke', '#000');
  svg.append(arrow);
  Object.assign(svg.style, { position: 'fixed', zIndex: '9999', width: '20px', height: '30px', pointerEvents: 'none' });
  document.body.append(svg);
}

function movePointer({ x, y }: Point): void {
  const { style } = document.getElementById('recorded-pointer')!;
  style.left = `${x}px`;
  style.top = `${y}px`;
}
