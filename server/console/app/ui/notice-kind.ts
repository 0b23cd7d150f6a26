/** How good or bad what is said is: each has a colour. */
export type NoticeKind = 'info' | 'success' | 'warning' | 'error';
