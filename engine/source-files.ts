import type { SourceFile, TaskInput, TaskName } from './task.ts';

/** The files of a task. Their buffers are transferred with it. */
export const sourceFiles = (input: TaskInput<TaskName>): SourceFile[] => filesIn(Object.values(input));

/** Those of the values that are files. */
export const filesIn = (values: readonly unknown[]): SourceFile[] => values.filter(isSourceFile);

const isSourceFile = (value: unknown): value is SourceFile =>
  typeof value === 'object' && value !== null && 'data' in value && value.data instanceof ArrayBuffer;
