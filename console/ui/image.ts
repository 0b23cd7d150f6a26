/** An image that the page shows. */
export interface DisplayedImage {
  /** A `blob:` address. */
  url: string;
  /** Size as displayed, in pixels. */
  width: number;
  height: number;
}

/** An area of an image, in pixels of the image as displayed. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
