/**
 * Above this many pixels per frame libvips encodes. It is slower and its files are larger, but it takes four bytes per
 * pixel in its bounded memory. Our own encoder takes up to 26 bytes per pixel outside of that memory.
 */
export const MAX_OWN_FRAME_PIXELS = 16_000_000;

/** Memory for encoding per pixel of one frame, for any number of frames. */
export const GIF_BYTES_PER_PIXEL = 22;
