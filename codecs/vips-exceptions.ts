/**
 * Cleans up after errors of libvips. wasm-vips throws them as C++ exceptions that no C++ code catches, so nothing
 * restores the stack pointer (32 bytes per error) or frees the exception (200 bytes). After 8,000 errors the stack of
 * 256 KiB overflows into the static data of libvips, which then hangs, traps or rejects valid files.
 */
import type Vips from 'wasm-vips';

/** Exports of the wasm-vips module that its glue code does not expose. */
export interface ExceptionExports {
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(stackPointer: number): void;
  __cpp_exception: object;
  /**
   * Takes over an exception.
   * @param exception pointer to its unwind header
   */
  __cxa_begin_catch(exception: number): number;
  /** Frees the exception that was taken over last. */
  __cxa_end_catch(): void;
}

/** `WebAssembly.Exception`, which TypeScript does not declare. */
interface WasmException {
  is(tag: object): boolean;
  getArg(tag: object, index: number): number;
}
const { Exception } = WebAssembly as unknown as { Exception: new (...args: never[]) => WasmException };

type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** Wraps the static functions and the methods of all classes of `vips`, so that each cleans up after an exception. */
export function cleanUpExceptions(vips: typeof Vips, exports: ExceptionExports): void {
  loadBuffersAsSources(vips);
  const wrap = createWrapper(exports);
  for (const member of Object.values(vips)) {
    if (typeof member !== 'function') continue;
    wrapFunctions(member, wrap);
    if (member.prototype) wrapFunctions(member.prototype, wrap);
  }
}

/**
 * Replaces `jpegloadBuffer` and similar functions by `jpegloadSource` with a source in memory. Embind copies the file
 * for the call and frees the copy only if the call returns, so a file that fails to load would stay in memory. With a
 * source, the copy is freed before it is read.
 */
function loadBuffersAsSources({ Image, Source }: typeof Vips): void {
  const functions = Image as unknown as Record<string, Callable>;
  for (const name of Object.keys(functions)) {
    const loadSource = name.endsWith('loadBuffer') && functions[name.replace(/Buffer$/, 'Source')];
    if (!loadSource) continue;
    functions[name] = (bytes, ...options) => {
      const source = Source.newFromMemory(bytes as Uint8Array);
      try {
        return loadSource(source, ...options);
      } finally {
        // The image keeps its own reference to the source.
        source.preventAutoDelete()[Symbol.dispose]();
      }
    };
  }
}

function wrapFunctions(target: object, wrap: (call: Callable) => Callable): void {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (name === 'constructor' || !property.writable || typeof property.value !== 'function') continue;
    Object.defineProperty(target, name, { ...property, value: wrap(property.value) });
  }
}

function createWrapper(exports: ExceptionExports): (call: Callable) => Callable {
  let isCalling = false;
  return (call) => {
    function cleaningUp(this: unknown, ...args: unknown[]): unknown {
      // Some methods call others, and libvips calls back. An exception thrown inside may still pass through C++ code
      // that needs it, so only the outermost call cleans up.
      if (isCalling) return call.apply(this, args);
      const stackPointer = exports.emscripten_stack_get_current();
      isCalling = true;
      try {
        return call.apply(this, args);
      } catch (error) {
        exports._emscripten_stack_restore(stackPointer);
        freeException(error, exports);
        throw error;
      } finally {
        isCalling = false;
      }
    }
    // Embind stores the overloads of a function as a property of it.
    return Object.assign(cleaningUp, call);
  };
}

/** Frees the exception. Its message stays valid, because wasm-vips has copied it to the object that it throws. */
function freeException(error: unknown, exports: ExceptionExports): void {
  const tag = exports.__cpp_exception;
  if (!(error instanceof Exception) || !error.is(tag)) return;
  exports.__cxa_begin_catch(error.getArg(tag, 0));
  exports.__cxa_end_catch();
}
