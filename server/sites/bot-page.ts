/** The page that the User-Agent header of scans links to. */
import type { Endpoint } from '../http/endpoint.ts';
import { STYLE_ONLY_POLICY, setPageHeaders } from '../http/page-headers.ts';
import type { SiteServices } from './services.ts';
import { BOT_PAGE, PRODUCT_TOKEN } from './user-agent.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${PRODUCT_TOKEN}</title>
<style>body { max-width: 40em; margin: 2em auto; padding: 0 1em; font: 1em/1.5 sans-serif }</style>
<h1>${PRODUCT_TOKEN}</h1>
<p>${PRODUCT_TOKEN} reads the pages of a website and the images on them, once, when a customer of this service asks for it.
It finds out which images could be smaller. It is no search engine: nothing that it reads is published or used to train models.</p>
<h2>How it behaves</h2>
<ul>
<li>It follows robots.txt (RFC 9309), <code>Crawl-delay</code> up to 10 seconds included.</li>
<li>Unless the customer sets it otherwise, it opens at most 2 connections to a host and waits 200 milliseconds between requests;
never more than 6 connections.</li>
<li>When a host answers 429 or 503 it waits as long as <code>Retry-After</code> says, up to a minute, and goes on at half the pace.
It asks for one address three times at most, and leaves the host alone when it answers nothing else to two addresses, or for
the thirtieth time. It leaves a host alone that does not answer, too.</li>
<li>It runs no scripts, keeps no cookies and fills in no forms.</li>
</ul>
<h2>How to refuse it</h2>
<p>Add these lines to the robots.txt of your website:</p>
<pre>User-agent: ${PRODUCT_TOKEN}
Disallow: /</pre>
<p>With a path in place of the slash they close that part alone. To slow it down, write <code>Crawl-delay: 5</code>.</p>
</html>
`;

export const botPage: Endpoint<SiteServices> = {
  method: 'get',
  path: BOT_PAGE,
  operation: 'bot_page',
  access: 'open',
  handle(ctx) {
    ctx.set('Cache-Control', 'public, max-age=86400');
    setPageHeaders(ctx, STYLE_ONLY_POLICY);
    ctx.type = 'html';
    ctx.body = PAGE;
  },
};
