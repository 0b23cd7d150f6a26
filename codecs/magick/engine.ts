/**
 * ImageMagick compiled to WebAssembly, one instance per thread. Started only when a worker gets a format that nothing
 * else reads, because it is 15 MB of code.
 */
import { setImmediate } from 'node:timers/promises';
import { collectGarbage } from '../../base/garbage.ts';
import { readDependency } from '../../base/package-file.ts';
import { MAGICK_WASM } from '../formats/format.ts';
import { trackMemory } from '../memory.ts';
import { ALLOWED_CODERS } from './coders.ts';

export type Magick = typeof import('@imagemagick/magick-wasm');

/**
 * Memory limit of one instance. A camera RAW needs 22 bytes for each pixel of the sensor (measured: 24 megapixels 528
 * MB, 60 megapixels 1273 MB), more than any other format.
 */
const MEMORY_BYTES = 1_200_000_000;
const PAGE_BYTES = 65_536;
/** Memory limit for decoded images, as counted by ImageMagick. */
const MAX_IMAGE_BYTES = 800_000_000n;
const MAX_SIDE = 65_535n;
/** An empty frame takes 13 kB. */
const MAX_FRAMES = 10_000n;

/** Bytes that an instance may keep for its next file: those of a camera RAW of 6 megapixels, or of most other files. */
const MAX_KEPT_BYTES = 160 * 2 ** 20;

let started: Promise<Magick> | undefined;
let compiled: Promise<WebAssembly.Module> | undefined;
let memoryBytes = () => 0;

/**
 * Starts ImageMagick in this thread; later calls return the same instance.
 * @param module compiled once and shared between threads; without it the package's own file is compiled here
 */
export function startMagick(module?: WebAssembly.Module): Promise<Magick> {
  started ??= start(module);
  return started;
}

/**
 * Releases an instance that has grown large. Call it after an image has been copied out of the instance, because
 * processing the image takes as much memory again.
 */
export async function releaseMagick(): Promise<void> {
  if (!started || memoryBytes() <= MAX_KEPT_BYTES) return;
  const { ImageMagick } = await started;
  started = undefined;
  memoryBytes = () => 0;
  // The package starts again when it has no instance; its types do not show this.
  (ImageMagick as unknown as { _api: undefined })._api = undefined;
  // A weak reference created in this turn of the event loop (memory.ts has one) keeps the memory until the turn ends.
  await setImmediate();
  collectGarbage();
}

async function start(shared: WebAssembly.Module | undefined): Promise<Magick> {
  compiled ??= shared ? Promise.resolve(shared) : compile();
  const [magick, module] = await Promise.all([import('@imagemagick/magick-wasm'), compiled]);
  const configuration = magick.ConfigurationFiles.default;
  configuration.policy.data = POLICY;
  const { result, instance } = watchInstance(() => magick.initializeImageMagick(module, configuration));
  limitMemory(instance);
  await result;
  // Without a disk to swap to, an image that does not fit the memory fails at once.
  magick.ResourceLimits.disk = 0n;
  magick.ResourceLimits.memory = MAX_IMAGE_BYTES;
  magick.ResourceLimits.width = MAX_SIDE;
  magick.ResourceLimits.height = MAX_SIDE;
  magick.ResourceLimits.listLength = MAX_FRAMES;
  return magick;
}

const compile = async (): Promise<WebAssembly.Module> => WebAssembly.compile(await readDependency(MAGICK_WASM));

/**
 * Whatever a file requests: no other coder runs, nothing is written, no program is called and no list of files is read.
 */
const POLICY = `<policymap>
${['delegate', 'filter', 'coder'].map((domain) => `<policy domain="${domain}" rights="none" pattern="*"/>`).join('\n')}
<policy domain="coder" rights="read" pattern="{${ALLOWED_CODERS.join(',')}}"/>
<policy domain="path" rights="none" pattern="@*"/>
</policymap>`;

/**
 * Captures the instance that `work` creates before it first waits. The package does not expose it, but the size of its
 * memory decides when a worker is replaced.
 */
function watchInstance<T>(work: () => T): { result: T; instance: WebAssembly.Instance } {
  const { Instance } = WebAssembly;
  let made: WebAssembly.Instance | undefined;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      made = this;
    }
  };
  try {
    const result = work();
    if (!made) throw new Error('ImageMagick has not been instantiated');
    return { result, instance: made };
  } finally {
    WebAssembly.Instance = Instance;
  }
}

/**
 * Counts and limits the memory of the instance. ImageMagick's own limits do not cover what the libraries inside it
 * (LibRaw, libheif, OpenEXR) allocate. Above the limit their allocations fail.
 */
function limitMemory({ exports }: WebAssembly.Instance): void {
  trackMemory({}, { exports });
  for (const memory of Object.values(exports)) {
    if (!(memory instanceof WebAssembly.Memory)) continue;
    memoryBytes = () => memory.buffer.byteLength;
    memory.grow = (pages) => {
      if (memory.buffer.byteLength + pages * PAGE_BYTES > MEMORY_BYTES) throw new RangeError('memory limit');
      return WebAssembly.Memory.prototype.grow.call(memory, pages);
    };
  }
}
