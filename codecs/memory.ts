/**
 * Tracks the WebAssembly memories of this thread. They never shrink, so their size decides when a worker is replaced.
 */

// Weak references, so that an engine abandoned after a trap can be collected together with its memory.
const memories = new Set<WeakRef<WebAssembly.Memory>>();
const known = new WeakSet<WebAssembly.Memory>();

/** Instantiates a compiled module and tracks its memory. Returns a function for Emscripten's `instantiateWasm`. */
export function instantiateTracked(module: WebAssembly.Module, see?: (instance: WebAssembly.Instance) => void) {
  return (
    imports: WebAssembly.Imports,
    onInstance: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => {
    void WebAssembly.instantiate(module, imports).then((instance) => {
      trackMemory(imports, instance);
      see?.(instance);
      onInstance(instance, module);
    });
    return {};
  };
}

/** Tracks the memory of an instance, imported or exported. */
export function trackMemory(imports: WebAssembly.Imports, { exports }: Pick<WebAssembly.Instance, 'exports'>): void {
  for (const value of [
    ...Object.values(imports).flatMap((namespace) => Object.values(namespace)),
    ...Object.values(exports),
  ]) {
    if (!(value instanceof WebAssembly.Memory) || known.has(value)) continue;
    known.add(value);
    memories.add(new WeakRef(value));
  }
}

/** Tracks the memories of all modules that start during `start`, for packages that do not expose theirs. */
export async function trackStarted<T>(start: () => Promise<T>): Promise<T> {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (async (source: BufferSource, imports: WebAssembly.Imports) => {
    const started = await instantiate(source, imports);
    trackMemory(imports, 'instance' in started ? started.instance : started);
    return started;
  }) as typeof instantiate;
  try {
    return await start();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

let hasAbandoned = false;

/**
 * Records that an instance was abandoned after a trap. V8 may free its memory only after the next one has grown as
 * much.
 */
export function abandonInstance(): void {
  hasAbandoned = true;
}

/** Whether an instance was abandoned in this thread. */
export const hasAbandonedInstance = (): boolean => hasAbandoned;

/** Returns the size of all memories, in bytes. */
export function wasmMemoryBytes(): number {
  let bytes = 0;
  for (const reference of memories) {
    const memory = reference.deref();
    if (memory) bytes += memory.buffer.byteLength;
    else memories.delete(reference);
  }
  return bytes;
}
