import type { SourceFile, TaskInput, TaskName } from './task.ts';

/** The files of a task. Their buffers are transferred with it. */
export function sourceFiles(input: TaskInput<TaskName>): SourceFile[] {
  const members: unknown[] = Object.values(input);
  return members.filter(isSourceFile);
}

const isSourceFile = (value: unknown): value is SourceFile =>
  typeof value === 'object' && value !== null && 'data' in value && value.data instanceof ArrayBuffer;
