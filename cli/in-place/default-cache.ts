/** Relative to the working directory, so that each project has its own cache. */
export const DEFAULT_CACHE_FOLDER = '.imagecrew-cache';
