/** `Accept` for the images of websites: a server that chooses by it sends what it has for browsers without newer formats. */
export const IMAGE_ACCEPT = 'image/png,image/jpeg,image/gif,image/svg+xml,image/*;q=0.8';
