/** How scans introduce themselves to the websites that they read. */

/** In robots.txt and in the User-Agent header. */
export const PRODUCT_TOKEN = 'ImagecrewBot';

/** The path of the page that says what the bot does. */
export const BOT_PAGE = '/bot';

/** @param baseUrl public address of the service */
export function siteUserAgent(baseUrl: string): string {
  return `${PRODUCT_TOKEN}/1.0 (+${baseUrl}${BOT_PAGE})`;
}
