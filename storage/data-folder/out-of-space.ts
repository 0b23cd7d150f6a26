const OUT_OF_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** True when the system refused to write because the disk or a quota is full. */
export function isOutOfSpace(error: unknown): boolean {
  return OUT_OF_SPACE_CODES.has(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
