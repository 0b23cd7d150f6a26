/** The filter types of PNG rows (third edition, section 9.2). */

export const NONE: i32 = 0;
export const SUB: i32 = 1;
export const UP: i32 = 2;
export const AVERAGE: i32 = 3;
export const PAETH: i32 = 4;
