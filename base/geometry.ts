/** Sizes, points and areas. In pixels where nothing else is said. */

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** An area by its upper left corner. */
export interface Box extends Point, Size {}
