/** Replaces control and format characters, with which a file name could move the cursor or hide text in a terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
