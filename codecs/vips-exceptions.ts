/**
 * Cleans up after errors of libvips. wasm-vips throws them as C++ exceptions that no C++ code catches, so nothing restores the
 * stack pointer (32 bytes for each error) or frees the exception (200 bytes). After 8,000 errors the stack of 256 KiB overflows into
 * the static data of libvips, which then hangs, traps or rejects valid files.
 */
import type Vips from 'wasm-vips';

/** Exports of the module of wasm-vips, which its glue code keeps to itself. */
export interface ExceptionExports {
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(stackPointer: number): void;
  __cpp_exception: object;
  /** Takes over an exception. @param exception pointer to its unwind header */
  __cxa_begin_catch(exception: number): number;
  /** Frees the exception that was taken over last. */
  __cxa_end_catch(): void;
}

/** `WebAssembly.Exception`, which TypeScript's own types do not declare. */
interface WasmException {
  is(tag: object): boolean;
  getArg(tag: object, index: number): number;
}
const { Exception } = WebAssembly as unknown as { Exception: new (...args: never[]) => WasmException };

type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** Wraps the static functions and the methods of all classes of `vips`, so that each cleans up after what it throws. */
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
 * Replaces `jpegloadBuffer` and the like by `jpegloadSource` with a source in memory. Embind copies the file for the call, and frees
 * that copy only if the call returns: a file that fails to load would stay in memory. Of a source, the copy is freed before it is read.
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
        // The image holds the source as long as it needs it.
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
      // Some methods call others, and libvips calls back: what is thrown inside may still pass through C++ code that needs it.
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
    // Embind keeps the overloads of a function in a property of it.
    return Object.assign(cleaningUp, call);
  };
}

/** Its message stays: wasm-vips has copied it to the object that it throws. */
function freeException(error: unknown, exports: ExceptionExports): void {
  const tag = exports.__cpp_exception;
  if (!(error instanceof Exception) || !error.is(tag)) return;
  exports.__cxa_begin_catch(error.getArg(tag, 0));
  exports.__cxa_end_catch();
}
