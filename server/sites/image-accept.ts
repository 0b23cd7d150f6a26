/**
 * `Accept` header for images of websites. Without newer formats, so that a server that negotiates sends the version for
 * browsers that do not support them.
 */
export const IMAGE_ACCEPT = 'image/png,image/jpeg,image/gif,image/svg+xml,image/*;q=0.8';
