/** How scans introduce themselves to the websites that they read. */

/** In robots.txt and in the User-Agent header. */
export const PRODUCT_TOKEN = 'ImagecrewBot';

/** The path of the page that says what the bot does. */
export const BOT_PAGE = '/bot';

const USER_AGENT = `${PRODUCT_TOKEN}/1.0`;

/** @param baseUrl public address of the service, if there is one */
export function siteUserAgent(baseUrl: string | undefined): string {
  return baseUrl === undefined ? USER_AGENT : `${USER_AGENT} (+${baseUrl}${BOT_PAGE})`;
}
