/** Starts resvg, compiled to WebAssembly, in this thread. Worker side. */
import type { Size } from '../base/geometry.ts';
import { abandonInstance, trackMemory } from './memory.ts';
import { compileModule } from './modules.ts';
import { tooMuchWork, WorkMeter } from './work-limit.ts';

type Package = typeof import('@resvg/resvg-wasm');
type Resvg = Package['Resvg'];

export type Drawing = InstanceType<Resvg>;
/**
 * Largest number of instructions for one drawing: 5 times those of the heaviest drawing of the corpus at four times its
 * size (3176 x 4492), and 70 times those at its own size. They take 0.5 to 6 s, depending on the instructions.
 */
export const MAX_WORK = 3e9;

interface Engine {
  resvg: Resvg;
  meter: WorkMeter;
}

let engine: Promise<Engine> | undefined;
let starts = 0;

/**
 * Parses an SVG with resvg, which starts on the first call in a thread, and frees it after `use`. After a trap resvg's
 * memory is unreliable, so the next call gets a new instance.
 *
 * @param module the compiled `@resvg/resvg-wasm`, used by the first call; without it the package's file is read
 * @throws Failure `image_too_large` when it takes more than `maxWork` instructions; Error when resvg refuses the SVG; a
 * trap; whatever `use` throws
 */
export async function withDrawing<T>(
  module: WebAssembly.Module | undefined,
  svg: string,
  options: ConstructorParameters<Resvg>[1],
  use: (drawing: Drawing) => T,
  maxWork = MAX_WORK,
): Promise<T> {
  engine ??= start(module);
  const { resvg, meter } = await engine;
  meter.start(maxWork);
  let drawing: Drawing | undefined;
  try {
    drawing = new resvg(svg, options);
    return use(drawing);
  } catch (error) {
    if (isTrap(error)) {
      engine = undefined;
      abandonInstance();
      // It is discarded with its memory. Freeing it would only hide the trap behind another error.
      drawing = undefined;
      if (meter.remaining < 0) throw tooMuchWork(maxWork);
    }
    throw error;
  } finally {
    drawing?.free();
  }
}

/** Whether an error is a trap: out of memory, a bug of resvg, or a stack overflow, which V8 reports as a RangeError. */
const isTrap = (error: unknown): boolean => error instanceof WebAssembly.RuntimeError || error instanceof RangeError;

async function start(module: WebAssembly.Module | undefined): Promise<Engine> {
  const compiled = module ?? (await compileModule('resvg'));
  // The package starts once and does not expose its instance, so another start imports another copy of the package.
  const { initWasm, Resvg }: Package = await import(`${import.meta.resolve('@resvg/resvg-wasm')}?start=${starts++}`);
  const { instantiate } = WebAssembly;
  let meter: WorkMeter | undefined;
  WebAssembly.instantiate = (async (source: WebAssembly.Module, imports: WebAssembly.Imports) => {
    const instance = await instantiate(source, imports);
    if (source === compiled) {
      trackMemory(imports, instance);
      meter = new WorkMeter(instance);
    }
    return instance;
  }) as typeof instantiate;
  try {
    await initWasm(compiled);
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  return { resvg: Resvg, meter: meter! };
}

/** Draws it at the size of its options. Returns RGBA of 8 bits, not premultiplied. */
export function renderDrawing(drawing: Drawing): Size & { data: Uint8Array } {
  const image = drawing.render();
  try {
    const { width, height } = image;
    return { data: unpremultiplied(image.pixels), width, height };
  } finally {
    image.free();
  }
}

/** Divides the colours by the alpha in place, because resvg returns premultiplied colours. */
function unpremultiplied(pixels: Uint8Array): Uint8Array {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3]!;
    if (alpha === 0 || alpha === 255) continue;
    const half = alpha >> 1;
    pixels[at] = (pixels[at]! * 255 + half) / alpha;
    pixels[at + 1] = (pixels[at + 1]! * 255 + half) / alpha;
    pixels[at + 2] = (pixels[at + 2]! * 255 + half) / alpha;
  }
  return pixels;
}
