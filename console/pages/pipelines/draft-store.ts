/** Stores the pipeline being built. It stays in this browser tab until the user starts or opens another one. */
import { computed, effect, signal } from '@preact/signals';
import { readStored, store } from '../../ui/storage.ts';
import { type Draft, EMPTY, isEmpty, removeStep, toDraft, toPipeline, toText } from './draft.ts';
import { opName } from './labels.ts';
import type { StepError } from './step-error.ts';

const STORED = 'imagecrew.pipeline';

/** The pipeline that the draft was opened from: a saved one, or a template, which has no version. */
export interface Origin {
  name: string;
  version: number | null;
  /** Text of the pipeline when it was opened, to detect changes. */
  text: string;
}

interface Stored {
  draft: Draft;
  origin: Origin | undefined;
  /** Text of the JSON tab while it is not a valid pipeline. */
  wrongText: string | undefined;
}

const state = signal<Stored>(restored());

export interface Undo {
  /** Describes the change. */
  text: string;
  before: Stored;
  /**
   * True for a removed step: the next change discards this undo. Replacing a whole pipeline can be undone later too.
   */
  isOfStep: boolean;
}
export const undo = signal<Undo | undefined>(undefined);

/** The last error that the service returned for the draft. A change clears it. */
export const fault = signal<StepError | undefined>(undefined);

export const draft = computed(() => state.value.draft);
export const origin = computed(() => state.value.origin);
export const invalidText = computed(() => state.value.wrongText);
/** True if the draft equals the pipeline that it was opened from. */
export const isUnchanged = computed(() => origin.value !== undefined && origin.value.text === toText(draft.value));

effect(() => {
  const { draft: kept, ...rest } = state.value;
  store(STORED, JSON.stringify({ ...rest, pipeline: { name: kept.name, ...toPipeline(kept) } }), 'sessionStorage');
});

export function change(next: Draft): void {
  fault.value = undefined;
  if (undo.value?.isOfStep) undo.value = undefined;
  state.value = { ...state.value, draft: next, wrongText: undefined };
}

export function remove(id: number): void {
  const before = state.value;
  const { op } = draft.value.steps.find((step) => step.id === id)!;
  change(removeStep(draft.value, id));
  undo.value = { text: `${opName(op)} is removed.`, before, isOfStep: true };
}

export function keepInvalidText(text: string): void {
  state.value = { ...state.value, wrongText: text };
}

/** @param from undefined for a pipeline that has not been saved */
export function open(next: Draft, from?: Pick<Origin, 'name' | 'version'>): void {
  const hasWork = !isEmpty(draft.value) && !isUnchanged.value;
  undo.value = hasWork
    ? { text: 'The pipeline before was not saved.', before: state.value, isOfStep: false }
    : undefined;
  fault.value = undefined;
  state.value = {
    draft: next,
    origin: from === undefined ? undefined : { ...from, text: toText(next) },
    wrongText: undefined,
  };
}

export function restore({ before, isOfStep }: Undo): void {
  const now = state.value;
  state.value = before;
  fault.value = undefined;
  undo.value = isOfStep ? undefined : { text: 'The other pipeline is kept too.', before: now, isOfStep };
}

/** @param saved the draft as it was sent; the user may have changed it since, or opened another one */
export function markSaved(saved: Draft, version: number): void {
  const { name } = saved;
  if (draft.value.name === name) state.value = { ...state.value, origin: { name, version, text: toText(saved) } };
}

/** Keeps the draft as unsaved after its pipeline was deleted. */
export function markDeleted(name: string): void {
  if (origin.value?.name === name) state.value = { ...state.value, origin: undefined };
}

function restored(): Stored {
  try {
    const { pipeline, origin: from, wrongText: text } = JSON.parse(readStored(STORED, 'sessionStorage') ?? '');
    return { draft: toDraft(pipeline), origin: from, wrongText: text };
  } catch {
    return { draft: EMPTY, origin: undefined, wrongText: undefined };
  }
}
