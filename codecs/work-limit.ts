/**
 * Adds a work limit to a WebAssembly module, before it is compiled. Main-thread safe.
 *
 * The cost of a drawing is not visible in its file: shapes that use shapes, patterns of patterns, a blur of a blur. A
 * time limit gives another result on a loaded machine. So the module counts the instructions that it runs and traps
 * when none are left, and the same file gets the same result everywhere.
 */
import type { Failure } from '../base/failure.ts';
import { imageTooLarge } from './errors.ts';
import { readUnsigned, signed, unsigned } from './leb128.ts';

/** Name of the exported global with the remaining instructions: a mutable `i64`, set before each task. */
const EXPORT = 'remainingWork';
/**
 * Maximum charge of one iteration or call. Most instructions of long bodies, such as those of a `switch`, are not run.
 */
const MAX_CHARGE = 16;
/** Copying or filling 2^4 bytes counts as one instruction. */
const BULK_BYTES_BITS = 4;

const SECTION = { import: 2, global: 6, export: 7, code: 10 } as const;
const HEADER_BYTES = 8;
const I32 = 0x7f;
const I64 = 0x7e;
const MUTABLE = 1;
const GLOBAL_KIND = 3;

/** 413: drawing takes more instructions than allowed. */
export const tooMuchWork = (instructions: number): Failure =>
  imageTooLarge(`${instructions / 1e9} billion instructions to draw it`, 'more');

/** Counts down the instructions of a metered instance. */
export class WorkMeter {
  readonly #remaining: WebAssembly.Global;

  constructor({ exports }: Pick<WebAssembly.Instance, 'exports'>) {
    this.#remaining = exports[EXPORT] as WebAssembly.Global;
  }

  /** Sets the instructions that the next task may use. */
  start(instructions: number): void {
    this.#remaining.value = BigInt(instructions);
  }

  /** Remaining instructions; negative if the task has used them up. */
  get remaining(): number {
    return Number(this.#remaining.value);
  }
}

/**
 * Returns the module with code that counts its instructions. The start of each function and of each loop iteration
 * counts the instructions inside it, without those of inner loops. Bulk copies and fills count their bytes.
 *
 * @param wasm a module with the instructions of WebAssembly 2.0 and legacy exceptions
 * @throws Error for an instruction that is not known
 */
export function meterWork(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [wasm.subarray(0, HEADER_BYTES)];
  let globals = 0;
  for (const { id, content } of sectionsOf(wasm)) {
    if (id === SECTION.import) globals += countImportedGlobals(content);
    let changed = content;
    if (id === SECTION.global) {
      const [count, start] = readUnsigned(content, 0);
      globals += count;
      const added = [I64, MUTABLE, 0x42, ...signed(2n ** 62n), 0x0b, I32, MUTABLE, 0x41, 0, 0x0b];
      changed = concat(unsigned(count + 2), content.subarray(start), added);
    } else if (id === SECTION.export) {
      const [count, start] = readUnsigned(content, 0);
      // Sections are ordered by number, so all globals are known here.
      const added = [EXPORT.length, ...Buffer.from(EXPORT), GLOBAL_KIND, ...unsigned(globals)];
      changed = concat(unsigned(count + 1), content.subarray(start), added);
    } else if (id === SECTION.code) changed = meterCode(content, globals);
    parts.push(Uint8Array.from([id, ...unsigned(changed.length)]), changed);
  }
  return concat(...parts);
}

function* sectionsOf(wasm: Uint8Array): Generator<{ id: number; content: Uint8Array }> {
  for (let at = HEADER_BYTES; at < wasm.length; ) {
    const [length, start] = readUnsigned(wasm, at + 1);
    yield { id: wasm[at]!, content: wasm.subarray(start, start + length) };
    at = start + length;
  }
}

function countImportedGlobals(content: Uint8Array): number {
  let [count, at] = readUnsigned(content, 0);
  let globals = 0;
  for (; count > 0; count--) {
    for (let names = 0; names < 2; names++) {
      const [length, start] = readUnsigned(content, at);
      at = start + length;
    }
    const kind = content[at++]!;
    if (kind === GLOBAL_KIND) {
      globals++;
      at += 2;
    } else if (kind === 0) at = skipNumber(content, at);
    else if (kind === 4) at = skipNumber(content, at + 1);
    else {
      // In a table import the type precedes the limits.
      const limits = kind === 1 ? at + 1 : at;
      at = skipNumber(content, limits + 1);
      if (content[limits]! & 1) at = skipNumber(content, at);
    }
  }
  return globals;
}

function meterCode(content: Uint8Array, firstGlobal: number): Uint8Array {
  const [count, start] = readUnsigned(content, 0);
  const parts: Uint8Array[] = [unsigned(count)];
  const added = additionsFor(firstGlobal);
  for (let at = start; at < content.length; ) {
    const [length, body] = readUnsigned(content, at);
    at = body + length;
    meterFunction(content.subarray(body, at), added, parts);
  }
  return concat(...parts);
}

/** Instructions that are charged together. `part` is the index of the empty part that the charge replaces. */
interface Charge {
  part: number;
  instructions: number;
}

/** Appends the parts of a function, after its length, to those of the section. */
function meterFunction(body: Uint8Array, added: Additions, parts: Uint8Array[]): void {
  const lengthPart = parts.push(EMPTY) - 1;
  let [locals, at] = readUnsigned(body, 0);
  for (; locals > 0; locals--) at = skipNumber(body, at) + 1;
  let copied = at;
  const first = { part: parts.push(body.subarray(0, at), EMPTY) - 1, instructions: 1 };
  /** For each open block, the charge that its instructions belong to. */
  const charges: Charge[] = [first];
  const all = [first];
  while (at < body.length) {
    const opcode = body[at]!;
    const end = skipInstruction(body, at);
    const charge = charges[charges.length - 1]!;
    charge.instructions++;
    if (opcode === LOOP) {
      const own = { part: parts.push(body.subarray(copied, end), EMPTY) - 1, instructions: 1 };
      copied = end;
      charges.push(own);
      all.push(own);
    } else if (opcode === BLOCK || opcode === IF || opcode === TRY) charges.push(charge);
    else if (opcode === END || opcode === DELEGATE) charges.pop();
    else if (opcode === PREFIX_BULK && (body[at + 1] === MEMORY_COPY || body[at + 1] === MEMORY_FILL)) {
      parts.push(body.subarray(copied, at), added.bulkCharge);
      copied = at;
    }
    at = end;
  }
  parts.push(body.subarray(copied));
  for (const { part, instructions } of all) parts[part] = added.charges[Math.min(instructions, MAX_CHARGE)]!;
  let length = 0;
  for (let part = lengthPart + 1; part < parts.length; part++) length += parts[part]!.length;
  parts[lengthPart] = unsigned(length);
}

/** The code that is added to functions. Made once, because a module has tens of thousands of places for it. */
interface Additions {
  /** By the number of instructions. */
  charges: readonly Uint8Array[];
  bulkCharge: Uint8Array;
}

function additionsFor(firstGlobal: number): Additions {
  const charges = Array.from({ length: MAX_CHARGE + 1 }, (_, instructions) => chargeFor(instructions, firstGlobal));
  return { charges, bulkCharge: bulkCharge(firstGlobal) };
}

const EMPTY = new Uint8Array();

// Instructions (WebAssembly Core Specification, 5.4).
const UNREACHABLE = 0x00;
const BLOCK = 0x02;
const LOOP = 0x03;
const IF = 0x04;
const TRY = 0x06;
const END = 0x0b;
const DELEGATE = 0x18;
const GLOBAL_GET = 0x23;
const GLOBAL_SET = 0x24;
const I64_CONST = 0x42;
const I64_LESS = 0x53;
const I64_SUB = 0x7d;
const I64_SHIFT_RIGHT = 0x88;
const I64_FROM_U32 = 0xad;
const NO_RESULT = 0x40;
const PREFIX_BULK = 0xfc;
const PREFIX_VECTOR = 0xfd;
const MEMORY_COPY = 10;
const MEMORY_FILL = 11;

/** Code that subtracts the instructions and traps below 0. */
function chargeFor(instructions: number, remaining: number): Uint8Array {
  const global = unsigned(remaining);
  return Uint8Array.from([
    ...[GLOBAL_GET, ...global, I64_CONST, ...signed(BigInt(instructions)), I64_SUB, GLOBAL_SET, ...global],
    ...[GLOBAL_GET, ...global, I64_CONST, 0, I64_LESS, IF, NO_RESULT, UNREACHABLE, END],
  ]);
}

/** Code that subtracts the cost of the number of bytes on the stack, and leaves that number there. */
function bulkCharge(remaining: number): Uint8Array {
  const global = unsigned(remaining);
  const bytes = unsigned(remaining + 1);
  return Uint8Array.from([
    ...[GLOBAL_SET, ...bytes, GLOBAL_GET, ...global, GLOBAL_GET, ...bytes, I64_FROM_U32],
    ...[I64_CONST, BULK_BYTES_BITS, I64_SHIFT_RIGHT, I64_SUB, GLOBAL_SET, ...global, GLOBAL_GET, ...bytes],
  ]);
}

/** The operands of an opcode: N a number, M the two numbers of a memory access, and so on. */
const OPERANDS = operandsOf([
  [0x00, 0x01, ''],
  [0x02, 0x04, 'N'],
  [0x05, 0x05, ''],
  [0x06, 0x09, 'N'],
  [0x0b, 0x0b, ''],
  [0x0c, 0x0d, 'N'],
  [0x0e, 0x0e, 'LN'],
  [0x0f, 0x0f, ''],
  [0x10, 0x10, 'N'],
  [0x11, 0x11, 'NN'],
  [0x12, 0x12, 'N'],
  [0x13, 0x13, 'NN'],
  [0x18, 0x18, 'N'],
  [0x19, 0x1b, ''],
  [0x1c, 0x1c, 'L'],
  [0x20, 0x26, 'N'],
  [0x28, 0x3e, 'NN'],
  [0x3f, 0x42, 'N'],
  [0x43, 0x43, '4'],
  [0x44, 0x44, '8'],
  [0x45, 0xc4, ''],
  [0xd0, 0xd0, 'N'],
  [0xd1, 0xd1, ''],
  [0xd2, 0xd2, 'N'],
]);
/** The operands of opcodes with a second number, after 0xfc and 0xfd. */
const BULK_OPERANDS = operandsOf([
  [0, 7, ''],
  [8, 8, 'NN'],
  [9, 9, 'N'],
  [10, 10, 'NN'],
  [11, 11, 'N'],
  [12, 12, 'NN'],
  [13, 13, 'N'],
  [14, 14, 'NN'],
  [15, 17, 'N'],
]);
const VECTOR_OPERANDS = operandsOf([
  [0, 11, 'NN'],
  [12, 13, '88'],
  [14, 20, ''],
  [21, 34, '1'],
  [35, 83, ''],
  [84, 91, 'NN1'],
  [92, 93, 'NN'],
  [94, 275, ''],
]);

function operandsOf(ranges: readonly (readonly [first: number, last: number, operands: string])[]): string[] {
  const operands: string[] = [];
  for (const [first, last, of] of ranges) for (let opcode = first; opcode <= last; opcode++) operands[opcode] = of;
  return operands;
}

function skipInstruction(body: Uint8Array, start: number): number {
  const opcode = body[start]!;
  let at = start + 1;
  let operands = OPERANDS[opcode];
  if (opcode === PREFIX_BULK || opcode === PREFIX_VECTOR) {
    const [second, end] = readUnsigned(body, at);
    operands = (opcode === PREFIX_BULK ? BULK_OPERANDS : VECTOR_OPERANDS)[second];
    at = end;
  }
  if (operands === undefined) throw new Error(`Expected a known WebAssembly instruction but received ${opcode}.`);
  for (const operand of operands) {
    if (operand === 'N') at = skipNumber(body, at);
    else if (operand === 'L') {
      let [count, end] = readUnsigned(body, at);
      for (; count > 0; count--) end = skipNumber(body, end);
      at = end;
    } else at += Number(operand);
  }
  return at;
}

function skipNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at]! >= 0x80) at++;
  return at + 1;
}

const concat = (...parts: (Uint8Array | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => (part instanceof Uint8Array ? part : Uint8Array.from(part)))));
