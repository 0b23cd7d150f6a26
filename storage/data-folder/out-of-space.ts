const OUT_OF_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** True when the system refused to write because the disk or a quota is full. */
export const isOutOfSpace = (error: unknown): boolean => OUT_OF_SPACE_CODES.has(codeOf(error) ?? '');

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
