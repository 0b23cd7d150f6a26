/** Severity of a notice. Each has its own colour. */
export type NoticeKind = 'info' | 'success' | 'warning' | 'error';
