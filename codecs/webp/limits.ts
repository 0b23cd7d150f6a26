/** Largest image that our own encoder handles, in pixels. It keeps up to 5 bytes per pixel. */
export const MAX_OWN_WEBP_PIXELS = 32_000_000;
