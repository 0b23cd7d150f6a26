export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** An image that the page shows. Its size is that in which it is displayed, in pixels. */
export interface DisplayedImage extends Size {
  /** A `blob:` address. */
  url: string;
}

/** An area of an image, in pixels of the image as displayed. */
export interface Box extends Point, Size {}
