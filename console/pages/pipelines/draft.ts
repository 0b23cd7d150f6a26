/** The draft of a pipeline. Drafts are immutable: every change returns a new one. */
import type { Condition, Outputs } from '../../../client/types.generated.ts';
import { declarations } from '../../declarations/declarations.ts';
import type { Values } from '../../parameters/values.ts';

export interface DraftStep {
  /** Stays the same when the step is moved. */
  id: number;
  op: string;
  when?: Condition | undefined;
  params: Values;
}

export interface Draft {
  name: string;
  description: string;
  outputName: string;
  steps: readonly DraftStep[];
  /** For several results; edited as JSON. */
  outputs?: Outputs | undefined;
}

/** The pipeline as the API represents it. Empty fields are omitted. */
export interface PipelineJson {
  description?: string;
  output_name?: string;
  steps: { op: string; when?: Condition; params?: Values }[];
  outputs?: Outputs;
}

export const EMPTY: Draft = { name: '', description: '', outputName: '', steps: [] };

/** Whether there is nothing to run or to save. */
export const isEmpty = ({ steps, outputs }: Draft): boolean => steps.length === 0 && outputs === undefined;

const OPS = new Map(declarations.steps.map((step) => [step.op, step]));
export const isEncoding = (op: string): boolean => OPS.get(op)?.isEncoding === true;
export const parametersOf = (op: string) => OPS.get(op)?.parameters ?? [];

let lastId = 0;

function newStep(step: Omit<DraftStep, 'id'>): DraftStep {
  lastId += 1;
  return { ...step, id: lastId };
}

export function toPipeline({ description, outputName, steps, outputs }: Draft): PipelineJson {
  return {
    ...(description === '' ? {} : { description }),
    ...(outputName === '' ? {} : { output_name: outputName }),
    steps: steps.map(({ op, when, params }) => ({
      op,
      ...(when === undefined ? {} : { when }),
      ...(Object.keys(params).length === 0 ? {} : { params }),
    })),
    ...(outputs === undefined ? {} : { outputs }),
  };
}

/** Returns the pipeline as JSON. Equal pipelines give equal texts. */
export const toText = (draft: Draft): string => JSON.stringify(toPipeline(draft), null, 2);

const FIELDS = [
  ...['name', 'description', 'output_name', 'steps', 'outputs'],
  ...['version', 'versions', 'created_at', 'updated_at'],
];
const STEP_FIELDS = ['op', 'when', 'params'];

/**
 * Reads a pipeline from its JSON, including the fields that the service adds. The service validates the values. Unknown
 * fields are refused, because the form cannot show them and would lose them.
 * @throws Error with a message for the user
 */
export function toDraft(value: unknown): Draft {
  const { name, description, output_name: outputName, steps, outputs, ...rest } = expectObject('the pipeline', value);
  rejectUnknownFields('the pipeline', rest, FIELDS);
  if (!Array.isArray(steps)) throw new Error(expected('a list', 'steps', steps));
  return {
    name: expectText('name', name),
    description: expectText('description', description),
    outputName: expectText('output_name', outputName),
    steps: steps.map((step, index) => stepOf(step, `steps[${index}]`)),
    // Null in the records of the service.
    ...(outputs === undefined || outputs === null
      ? {}
      : { outputs: expectObject('outputs', outputs) as unknown as Outputs }),
  };
}

/** @throws Error with a message for the user */
export function parseDraft(text: string): Draft {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(
      `Expected valid JSON for the pipeline but received a text that is not: ${(error as Error).message}.`,
    );
  }
  return toDraft(value);
}

function stepOf(value: unknown, at: string): DraftStep {
  const { op: given, when, params = {}, ...rest } = expectObject(at, value);
  rejectUnknownFields(at, rest, STEP_FIELDS);
  // The service also accepts hyphens in operation names.
  const op = String(given).replaceAll('-', '_');
  if (!OPS.has(op)) throw new Error(expected(`one of ${[...OPS.keys()].join(', ')}`, `${at}.op`, given));
  return newStep({
    op,
    params: expectObject(`${at}.params`, params),
    ...(when === undefined ? {} : { when: expectObject(`${at}.when`, when) }),
  });
}

function expectObject(at: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(expected('an object', at, value));
}

function expectText(at: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new Error(expected('text', at, value));
  return value;
}

function rejectUnknownFields(at: string, rest: object, known: readonly string[]): void {
  const [other] = Object.keys(rest).filter((name) => !known.includes(name));
  if (other !== undefined)
    throw new Error(expected(`one of ${known.join(', ')}`, `the name of a field of ${at}`, other));
}

const expected = (what: string, at: string, received: unknown): string =>
  `Expected ${what} for ${at} but received ${received === undefined ? 'nothing' : JSON.stringify(received)}.`;

/** Adds a step. Steps that change pixels go before the steps that write the file, as the service requires. */
export function addStep(draft: Draft, op: string): { draft: Draft; added: DraftStep } {
  const added = newStep({ op, params: {} });
  const first = draft.steps.findIndex((step) => isEncoding(step.op));
  const at = isEncoding(op) || first === -1 ? draft.steps.length : first;
  return { draft: { ...draft, steps: draft.steps.toSpliced(at, 0, added) }, added };
}

export const changeStep = (draft: Draft, id: number, change: Partial<Omit<DraftStep, 'id'>>): Draft => ({
  ...draft,
  steps: draft.steps.map((step) => (step.id === id ? { ...step, ...change } : step)),
});

/** @param to the new position, from 0; a position out of range is clamped */
export function moveStep(draft: Draft, id: number, to: number): Draft {
  const at = draft.steps.findIndex((step) => step.id === id);
  const place = Math.max(0, Math.min(draft.steps.length - 1, to));
  return { ...draft, steps: draft.steps.toSpliced(at, 1).toSpliced(place, 0, draft.steps[at]!) };
}

export const removeStep = (draft: Draft, id: number): Draft => ({
  ...draft,
  steps: draft.steps.filter((step) => step.id !== id),
});

export function duplicateStep(draft: Draft, id: number): { draft: Draft; added: DraftStep } {
  const at = draft.steps.findIndex((step) => step.id === id);
  const { id: _, ...step } = draft.steps[at]!;
  const added = newStep(step);
  return { draft: { ...draft, steps: draft.steps.toSpliced(at + 1, 0, added) }, added };
}

/** Returns whether a step needs a logo. The service expects it as a separate image part. */
export const needsWatermarkImage = (steps: readonly { op: string; params?: Values | undefined }[]): boolean =>
  steps.some(({ op, params }) => op === 'watermark' && params?.logo === true);
