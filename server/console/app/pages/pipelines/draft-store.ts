/** The pipeline that is being built; it stays in this tab until another one is begun. */
import { computed, effect, signal } from '@preact/signals';
import { keep, readKept } from '../../ui/kept.ts';
import { type Draft, draftOf, EMPTY, pipelineOf, removeStep, textOf } from './draft.ts';
import type { Fault } from './fault.ts';
import { opName } from './words.ts';

const STORED = 'imagecrew.pipeline';

/** The pipeline that it was made from: a saved one, or a template, which has no version. */
export interface Origin {
  name: string;
  version: number | null;
  /** To see whether it was changed since. */
  text: string;
}

interface Stored {
  draft: Draft;
  origin: Origin | undefined;
  /** What stands in the JSON tab while it is no pipeline. */
  wrongText: string | undefined;
}

const state = signal<Stored>(restored());

export interface Undo {
  /** What was done. */
  text: string;
  before: Stored;
  /** The next change ends it; another pipeline can be brought back later too. */
  isOfStep: boolean;
}
export const undo = signal<Undo | undefined>(undefined);

/** What the service last said of it, until it is changed. */
export const fault = signal<Fault | undefined>(undefined);

export const draft = computed(() => state.value.draft);
export const origin = computed(() => state.value.origin);
export const wrongText = computed(() => state.value.wrongText);
/** It is that of a name as it stands. */
export const isAsOpened = computed(() => origin.value !== undefined && origin.value.text === textOf(draft.value));

effect(() => {
  const { draft: kept, ...rest } = state.value;
  keep(STORED, JSON.stringify({ ...rest, pipeline: { name: kept.name, ...pipelineOf(kept) } }), 'sessionStorage');
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

export function keepWrongText(text: string): void {
  state.value = { ...state.value, wrongText: text };
}

/** @param from undefined for one that nobody has saved */
export function open(next: Draft, from?: Pick<Origin, 'name' | 'version'>): void {
  const hasWork = draft.value.steps.length > 0 && !isAsOpened.value;
  undo.value = hasWork
    ? { text: 'The pipeline before was not saved.', before: state.value, isOfStep: false }
    : undefined;
  fault.value = undefined;
  state.value = {
    draft: next,
    origin: from === undefined ? undefined : { ...from, text: textOf(next) },
    wrongText: undefined,
  };
}

export function bringBack({ before, isOfStep }: Undo): void {
  const now = state.value;
  state.value = before;
  fault.value = undefined;
  undo.value = isOfStep ? undefined : { text: 'The other pipeline is kept too.', before: now, isOfStep };
}

/** @param saved as it was sent: the work on it has gone on meanwhile, or on another one */
export function markSaved(saved: Draft, version: number): void {
  const { name } = saved;
  if (draft.value.name === name) state.value = { ...state.value, origin: { name, version, text: textOf(saved) } };
}

/** There is none of this name any more; what was opened of it stays, unsaved. */
export function markDeleted(name: string): void {
  if (origin.value?.name === name) state.value = { ...state.value, origin: undefined };
}

function restored(): Stored {
  try {
    const { pipeline, origin: from, wrongText: text } = JSON.parse(readKept(STORED, 'sessionStorage') ?? '');
    return { draft: draftOf(pipeline), origin: from, wrongText: text };
  } catch {
    return { draft: EMPTY, origin: undefined, wrongText: undefined };
  }
}
