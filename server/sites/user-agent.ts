/** How scans identify themselves to the websites that they read. */

/** The product token in robots.txt and in the User-Agent header. */
export const PRODUCT_TOKEN = 'ImagecrewBot';

/** The path of the page that describes the bot. */
export const BOT_PAGE = '/bot';

const USER_AGENT = `${PRODUCT_TOKEN}/1.0`;

/**
 * Makes the User-Agent header of scans.
 * @param baseUrl public address of the service, if there is one
 */
export const siteUserAgent = (baseUrl: string | undefined): string =>
  baseUrl === undefined ? USER_AGENT : `${USER_AGENT} (+${baseUrl}${BOT_PAGE})`;
