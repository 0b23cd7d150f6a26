/**
 * Compiles AssemblyScript modules with a check before every memory access. An access outside the constants and the
 * reserved blocks throws an error. The gaps between blocks belong to no block.
 */
import { fileURLToPath } from 'node:url';
import binaryen from 'binaryen';
import { disassembleAssembly, FEATURES } from '../../scripts/compile-assembly.ts';
import { repositoryFile } from './repository.ts';

/** Prefix of its functions in the text of a module. */
const memory = '$codecs/assembly/memory/';
/** Bytes between two blocks. */
const GAP_BYTES = 65_536;
/** Number of bytes beyond a block up to which vectors may be read and written (codecs/assembly/memory.ts). */
const OVERREAD_BYTES = 64;

/** Bytes of an access, by the part of the instruction's name after the type. */
const ACCESS_BYTES: readonly [pattern: RegExp, bytes: number][] = [
  [/(?:load|store)8/, 1],
  [/(?:load|store)16/, 2],
  [/(?:load|store)32/, 4],
  [/(?:load|store)64|load8x8/, 8],
];
const TYPE_WIDTHS: Readonly<Record<string, number>> = { i32: 4, i64: 8, f32: 4, f64: 8, v128: 16 };

export interface CheckedModule {
  module: WebAssembly.Module;
  imports: WebAssembly.Imports;
}

/**
 * Compiles a module with checks.
 * @param folder of the sources, which use `reserve` and `release` of codecs/assembly/memory.ts
 * @param maxMorePages maximum number of pages by which the memory may grow; by default unlimited
 */
export async function checkedModule(folder: string, maxMorePages?: number): Promise<CheckedModule> {
  const { text, heapBase } = withChecks(await disassembleAssembly(folder, fileURLToPath(repositoryFile(''))));
  const parsed = binaryen.parseText(maxMorePages === undefined ? text : withMaxMemory(text, maxMorePages));
  parsed.setFeatures(FEATURES);
  const module = new WebAssembly.Module(parsed.emitBinary() as Uint8Array<ArrayBuffer>);
  return { module, imports: checksFrom(heapBase) };
}

function checksFrom(heapBase: number): WebAssembly.Imports {
  let blocks: { start: number; end: number }[] = [];
  return {
    check: {
      inside(address: number, bytes: number) {
        const start = address >>> 0;
        const end = start + (bytes >>> 0);
        if (end <= heapBase || blocks.some((block) => block.start <= start && end <= block.end)) return;
        throw new RangeError(`${bytes} bytes at ${start} are in no block`);
      },
      reserved(address: number, bytes: number) {
        // The latest blocks are used most.
        blocks.unshift({ start: address >>> 0, end: (address >>> 0) + (bytes >>> 0) + OVERREAD_BYTES });
      },
      released() {
        blocks = [];
      },
    },
  };
}

function withMaxMemory(text: string, morePages: number): string {
  return text.replace(/\(memory \$0 (\d+)\)/, (_, pages) => `(memory $0 ${pages} ${Number(pages) + morePages})`);
}

function withChecks(text: string): { text: string; heapBase: number } {
  const heapBase = Number(/global \$~lib\/memory\/__heap_base i32 \(i32\.const (\d+)\)/.exec(text)?.[1]);

  const helpers = new Map<string, string>();
  const lines = text.split('\n').map((line) => {
    const access = /^(\s*)((\w+)\.(?:load|store)\w*)((?: offset=\d+)?)((?: align=\d+)?)((?: \d+)?)$/.exec(line);
    if (access) {
      const [, space, name, type, offset, , lane] = access as unknown as [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ];
      const helper = `$checked_${name.replace('.', '_')}${lane.trim()}`;
      helpers.set(helper, accessHelper(helper, name, type, lane));
      return `${space}i32.const ${offset.replace(' offset=', '') || 0}\n${space}call ${helper}`;
    }
    return line
      .replace('memory.fill', 'call $checked_fill')
      .replace('memory.copy', 'call $checked_copy')
      .replace(`call ${memory}reserve`, (call) => (line.trim() === call ? 'call $checked_reserve' : call))
      .replace(`(export "reserve" (func ${memory}reserve))`, '(export "reserve" (func $checked_reserve))')
      .replace(`call ${memory}release`, 'call $checked_release');
  });
  const imports = [
    '(import "check" "inside" (func $inside (param i32 i32)))',
    '(import "check" "reserved" (func $reserved (param i32 i32)))',
    '(import "check" "released" (func $released))',
  ];
  const own = [
    `(func $checked_fill (param i32 i32 i32)
      local.get 0 local.get 2 call $inside local.get 0 local.get 1 local.get 2 memory.fill)`,
    `(func $checked_copy (param i32 i32 i32)
      local.get 0 local.get 2 call $inside local.get 1 local.get 2 call $inside
      local.get 0 local.get 1 local.get 2 memory.copy)`,
    `(func $checked_reserve (param i32) (result i32) (local i32)
      local.get 0 i32.const ${GAP_BYTES} i32.add call ${memory}reserve local.tee 1
      if local.get 1 local.get 0 call $reserved end
      local.get 1)`,
    `(func $checked_release call ${memory}release call $released)`,
  ];
  const all = lines.join('\n').trimEnd();
  const start = all.indexOf('(module') + '(module'.length;
  return {
    text: `${all.slice(0, start)}\n${imports.join('\n')}${all.slice(start, -1)}\n${[...own, ...helpers.values()].join('\n')})`,
    heapBase,
  };
}

/** Writes a function that checks an access and then runs its instruction. The offset is the last argument. */
function accessHelper(helper: string, name: string, type: string, lane: string): string {
  const bytes = ACCESS_BYTES.find(([pattern]) => pattern.test(name))?.[1] ?? TYPE_WIDTHS[type] ?? 16;
  const isStore = name.includes('store');
  const hasValue = isStore || name.includes('lane');
  const parameters = hasValue ? `(param i32 ${type} i32)` : '(param i32 i32)';
  const offset = hasValue ? 2 : 1;
  const result = isStore ? '' : `(result ${type})`;
  const address = `local.get 0 local.get ${offset} i32.add`;
  return `(func ${helper} ${parameters} ${result}
    ${address} i32.const ${bytes} call $inside ${address} ${hasValue ? 'local.get 1' : ''} ${name}${lane})`;
}
