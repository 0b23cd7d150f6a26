/**
 * Rules for web servers that send the new files under the old addresses (docs/spec/shapes.md, section 17.4). They list every
 * address: a rule that looks for a file of the same name could send an unrelated image of the site.
 */

import { findFormat } from '../../../codecs/formats/registry.ts';
import { FILES_FOLDER } from '../../../replacement-package/layout.ts';
import type { MappedLine } from './mapping.ts';

/** A pattern for an `Accept` header that names the type and does not refuse it by `q=0`. */
const accepts = (type: string, end: string) => `image/${type}(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|${end}))`;

/** Longer addresses get no rule: servers size the table entries for the longest address. */
const MAX_ADDRESS_CHARACTERS = 400;

interface Rule {
  /** The path as a browser requests it. */
  path: string;
  query: string;
  /** Path of the new file on the site, not encoded. */
  target: string;
  /** Empty when the file may be sent to every client. */
  format: string;
}

function ruleOf({ line, hasRule }: MappedLine): Rule | undefined {
  const { from_path, to_format, unresized } = line;
  if (!hasRule || from_path.length > MAX_ADDRESS_CHARACTERS) return undefined;
  // A rule applies to all pages, also those that the scan has not seen, so it uses the unresized copy.
  if (unresized && unresized.bytes >= line.from_bytes) return undefined;
  const { to } = unresized ?? line;
  const at = from_path.indexOf('?');
  const [path, query] = at < 0 ? [from_path, ''] : [from_path.slice(0, at), from_path.slice(at + 1)];
  const target = to.slice(FILES_FOLDER.length);
  return { path, query, target, format: findFormat(to_format)?.web?.age === 'modern' ? to_format : '' };
}

/** Yields the rules for which `write` returns a text, then a comment with the number of lines that have no rule. */
async function* rulesOf(lines: AsyncIterable<MappedLine>, write: (rule: Rule) => string | undefined) {
  let without = 0;
  for await (const line of lines) {
    const rule = ruleOf(line);
    const text = rule && write(rule);
    if (text === undefined) without += 1;
    else yield text;
  }
  if (without > 0) yield `\n# Without a rule, so that the original is sent as before: ${without} of the images.\n`;
}

const NGINX_HEAD = (lines: number) => `# New images of the website under their old addresses, for nginx.
#
# 1. Copy what is in files/ into the document root.
# 2. Include this file in the http block:       include /etc/nginx/imagecrew.conf;
# 3. Put these lines into the server block of the website:
#
#    set $imagecrew_to $imagecrew_file;
#    if (!-f $document_root$imagecrew_to) { set $imagecrew_to ""; }
#    if ($imagecrew_to) { rewrite ^ $imagecrew_to last; }
#    add_header Vary $imagecrew_vary;
#
# 4. Check with nginx -t, then reload. To take it back remove the lines.
#
# A location that has an add_header of its own needs the last line too. A program that does not accept the new format gets
# the original, and so does everybody while a new file is missing. mime.types has to know image/webp and image/avif.
# When nginx calls one of the next two lines a duplicate, keep the larger value and remove the other.

map_hash_max_size ${Math.max(2048, 2 ** Math.ceil(Math.log2(2 * lines + 1)))};
map_hash_bucket_size 512;

map $request_uri $imagecrew_target {
  default "";
`;

const NGINX_END = `}

map "$http_accept>$imagecrew_target" $imagecrew_file {
  default "";
  "~${accepts('webp', '>')}.*>webp:(?<imagecrew_path>[^>]+)$" $imagecrew_path;
  "~${accepts('avif', '>')}.*>avif:(?<imagecrew_path>[^>]+)$" $imagecrew_path;
  "~${accepts('jxl', '>')}.*>jxl:(?<imagecrew_path>[^>]+)$" $imagecrew_path;
  "~>:(?<imagecrew_path>[^>]+)$" $imagecrew_path;
}

map $imagecrew_target $imagecrew_vary {
  default "";
  "~^[a-z]" "Accept";
}
`;

/** Writes rules for the http block of nginx. */
export async function* nginxRules(lines: AsyncIterable<MappedLine>, count: number): AsyncGenerator<string> {
  yield NGINX_HEAD(count);
  // A path in a value is not encoded. It contains no $ (see paths.ts), which nginx would read as a variable.
  yield* rulesOf(lines, ({ path, query, target, format }) => {
    const address = query === '' ? path : `${path}?${query}`;
    return `  "${nginxText(address)}" "${format}:${nginxText(target)}";\n`;
  });
  yield NGINX_END;
}

const nginxText = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');

const APACHE_HEAD = `# New images of the website under their old addresses, for Apache 2.4 with mod_rewrite.
#
# 1. Copy what is in files/ into the document root.
# 2. Put these lines into the file .htaccess there, before other rules. Apache reads that file with every request: with
#    more than a thousand images put them into the <Directory> of the document root in the server's own configuration.
#
# A program that does not accept the new format gets the original, and so does everybody while a new file is missing.

<IfModule mod_mime.c>
  AddType image/webp .webp
  AddType image/avif .avif
  AddType image/jxl .jxl
</IfModule>
<IfModule mod_headers.c>
  <FilesMatch "\\.(?i:jpe?g|png|gif|webp|avif|jxl|bmp|tiff?)$">
    Header merge Vary Accept
  </FilesMatch>
</IfModule>
<IfModule mod_rewrite.c>
RewriteEngine On
`;

/** Writes rules for `.htaccess` in the document root. */
export async function* apacheRules(lines: AsyncIterable<MappedLine>): AsyncGenerator<string> {
  yield APACHE_HEAD;
  yield* rulesOf(lines, ({ path, query, target, format }) => {
    const pattern = apachePattern(path.slice(1));
    const asked = query === '' ? '' : apacheQuery(query);
    if (pattern === undefined || asked === undefined) return undefined;
    return [
      ...(format === '' ? [] : [`RewriteCond %{HTTP_ACCEPT} "${accepts(format, '$')}"`]),
      `RewriteCond %{QUERY_STRING} "^${asked}$"`,
      `RewriteCond "%{DOCUMENT_ROOT}${target}" -f`,
      `RewriteRule "^${pattern}$" "${target}" [QSD,END]`,
      '',
    ].join('\n');
  });
  yield '</IfModule>\n';
}

/** The pattern of a decoded path: Apache matches rules against the decoded path. */
function apachePattern(path: string): string | undefined {
  try {
    return apacheQuery(decodeURIComponent(path));
  } catch {
    return undefined;
  }
}

/**
 * The pattern that matches exactly this text; undefined when it contains characters that are special in Apache's quoted
 * words.
 */
const apacheQuery = (text: string): string | undefined =>
  /[\p{C}"\\]/u.test(text) ? undefined : text.replaceAll(/[$()*+.?[\]^{|}]/g, '\\$&');

const NETLIFY_HEAD = `# New images of the website under their old addresses, for Netlify and hosts that read its _redirects.
#
# 1. Copy what is in files/ into the folder that is published.
# 2. Put these lines into the file _redirects there.
#
# These hosts cannot look at what a browser accepts: everybody gets the new format. Browsers since 2020 read WebP.
# Some hosts take a limited number of rules.

`;

/** Writes rules for `_redirects`. */
export async function* netlifyRules(lines: AsyncIterable<MappedLine>): AsyncGenerator<string> {
  yield NETLIFY_HEAD;
  yield* rulesOf(lines, ({ path, query, target }) => {
    // Skip addresses with special characters of the file format, and encoded ones: how hosts compare these is not
    // documented.
    if (query !== '' || !/^[A-Za-z0-9/._~@!,=+&'()-]+$/.test(path)) return undefined;
    return `${path} ${encodeURI(target)} 200!\n`;
  });
}
