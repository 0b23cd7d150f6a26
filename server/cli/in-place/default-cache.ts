/** In the working directory, so that the cache of a project is easy to name and goes with it. */
export const DEFAULT_CACHE_FOLDER = '.imagecrew-cache';
