/** Checks that everything the guides name exists: settings, endpoints, parameters, commands, options, pages. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { runCli } from '../../../cli/program.ts';
import { Imagecrew } from '../../../client/index.ts';
import { OPERATIONS } from '../../../engine/operations/registry.ts';
import { Plans } from '../../../server/account/plans.ts';
import { SETTINGS } from '../../../server/config.ts';
import { SECTIONS } from '../../../server/docs/contents.ts';
import { endpointsOf } from '../../../server/docs/endpoint-text.ts';
import { listDocs, readDoc } from '../../../server/docs/package-files.ts';
import { withParts } from '../../../server/docs/parts.ts';
import { DOCUMENTED } from '../../../server/endpoints.ts';
import { createOpenApi } from '../../../server/http/openapi.ts';
import { repositoryFile } from '../../support/repository.ts';

const names = [
  ...(await listDocs('.')).filter((name) => name.endsWith('.md')),
  ...(await listDocs('guides')).map((name) => `guides/${name}`),
];
const guides = await Promise.all(
  names.map(async (name) => ({ name, text: `${await readDoc(name)}`.replaceAll(/\\\n\s*/g, ' ') })),
);

/** Variables of the command line and the local MCP server, which are not settings of the service. */
const OTHER_VARIABLES = ['IC_API_KEY'];

const endpoints = endpointsOf(createOpenApi(DOCUMENTED));
/** Paths that the OpenAPI document does not list. */
const OTHER_PATHS = ['/api/v1/openapi.json'];

const output: string[] = [];
const io = { env: {}, out: (text: string) => output.push(text), err: (text: string) => output.push(text) };

const helpTexts = new Map<string, string>();

async function help(path: readonly string[]): Promise<string> {
  const command = path.join(' ');
  const known = helpTexts.get(command);
  if (known !== undefined) return known;
  output.length = 0;
  assert.equal(await runCli([...path, '--help'], io), 0, command);
  helpTexts.set(command, output.join(''));
  return output.join('');
}

/** Matches commands at the start of a line or of inline code, or after `exec` in a container. */
const COMMANDS = /(?:^|`|\bexec (?:-\S+ )*\S+ )imagecrew ((?:[a-z-]+ ?)+[^\n`|]*)/gm;

describe('the guides', () => {
  it('are all pages of the documentation', () => {
    const pages = new Set(SECTIONS.flatMap(({ pages }) => pages));
    for (const { name } of guides) assert.ok(pages.has(name.replace(/^guides\/|[.]md$/g, '')), name);
  });

  it('name only settings that exist', () => {
    const known = new Set([...Object.values(SETTINGS).map(({ env }) => env), ...OTHER_VARIABLES]);
    for (const { name, text } of guides)
      for (const [setting] of text.matchAll(/\bIC_[A-Z0-9_]*[A-Z]/g))
        assert.ok(known.has(setting), `${setting} in ${name}`);
  });

  it('name only endpoints, methods and parameters that exist', () => {
    for (const { name, text } of guides)
      for (const [whole, method, path, query] of text.matchAll(
        /(?:(GET|POST|PATCH|DELETE) )?(\/api\/v1\/[\w/{}$.-]*[\w}])(?:\?([\w=&%.:,-]+))?/g,
      )) {
        if (OTHER_PATHS.includes(path!)) continue;
        const found = endpoints.filter(
          (endpoint) => isAt(endpoint.path, path!) || endpoint.path.startsWith(`${path}/`),
        );
        assert.ok(found.length > 0, `${whole} in ${name}`);
        if (method)
          assert.ok(
            found.some((endpoint) => endpoint.method === method),
            `${whole} in ${name}`,
          );
        for (const parameter of new URLSearchParams(query).keys())
          assert.ok(
            found.some(({ operation }) =>
              operation.parameters?.some((one: { name: string }) => one.name === parameter),
            ),
            `${parameter} of ${path} in ${name}`,
          );
      }
  });

  it('name only commands and options that exist', async () => {
    for (const { name, text } of guides)
      for (const [whole, line] of text.matchAll(COMMANDS)) {
        const words = line!.trim().split(/\s+/);
        const path: string[] = [];
        let known = await help(path);
        for (const word of words) {
          if (!/^[a-z-]+$/.test(word) || word.startsWith('-') || !known.includes('\nCommands:')) break;
          assert.match(known, new RegExp(`^  ${word}\\b`, 'm'), `${whole} in ${name}`);
          path.push(word);
          known = await help(path);
        }
        for (const option of words.filter((word) => /^--?[a-z]/.test(word)))
          assert.ok(known.includes(option.split('=')[0]!), `${option} of ${whole} in ${name}`);
      }
  });

  it('and the README fail where a request of curl fails', async () => {
    const readme = { name: 'README.md', text: await readFile(repositoryFile('README.md'), 'utf8') };
    let count = 0;
    for (const { name, text } of [...guides, readme])
      for (const [line] of text.matchAll(/^.*\bcurl (?=-|"?http).*$/gm)) {
        count += 1;
        // What is shown with its status is to be read, and not written to a file.
        assert.match(line, /curl (?:--fail-with-body|-i) /, name);
      }
    assert.ok(count > 20, String(count));
  });

  it('list every operation with the name by which it is called', async () => {
    const sources = { openApi: createOpenApi(DOCUMENTED), plans: new Plans() };
    const listed = async (part: string) => {
      const rows = (await withParts(`{{${part}}}`, sources)).matchAll(/^\| \[`(.+?)`\]\((.+?)[.]md\) \| (.+?) +\|/gm);
      return [...rows].map(([, call, page, hint]) => ({ call: call!, page, hint }));
    };
    const [commands, methods] = [await listed('commands'), await listed('methods')];
    for (const rows of [commands, methods])
      assert.deepEqual(
        rows.map(({ page, hint }) => [page, hint]),
        OPERATIONS.map(({ name, hint }) => [name, hint]),
      );
    for (const { call } of commands) await help(call.split(' ').slice(1));
    const client = new Imagecrew({ baseUrl: 'https://images.example.com' });
    for (const { call } of methods) assert.equal(typeof client[call as keyof Imagecrew], 'function', call);
    for (const [guide, part] of [
      ['command-line', 'commands'],
      ['client', 'methods'],
      ['library', 'methods'],
    ])
      assert.ok(guides.find(({ name }) => name === `guides/${guide}.md`)?.text.includes(`\n{{${part}}}\n`), guide);
  });

  it('link only to pages that exist', () => {
    const pages = new Set(SECTIONS.flatMap(({ pages }) => pages));
    for (const { name, text } of guides)
      for (const [, href] of text.matchAll(/\]\(([^)\s]+)/g)) {
        if (/^(?:https?:|\/|#)/.test(href!)) continue;
        const [, page] = /([\w-]+)[.]md(?:#.*)?$/.exec(href!) ?? [];
        assert.ok(page && pages.has(page), `${href} in ${name}`);
      }
  });
});

/** @param path as written in the guide, with ids or with placeholders */
function isAt(declared: string, path: string): boolean {
  const parts = declared.split('/');
  const written = path.split('/');
  return (
    parts.length === written.length && parts.every((part, index) => part.startsWith('{') || part === written[index])
  );
}
