/** A picture that the page shows. */
export interface Picture {
  /** A `blob:` address. */
  url: string;
  /** As displayed, in pixels. */
  width: number;
  height: number;
}

/** An area of a picture, in its pixels as displayed. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
