/** Starts programs in the folder of a user, with a PATH and a network of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';

interface Place {
  folder: string;
  /** The only folder of PATH. */
  bin: string;
  proxy: { address: string };
}

interface Ended {
  status: number | null;
  out: string;
  err: string;
}

export interface Running {
  child: ChildProcess;
  /** Waits for the line, and returns the part in parentheses. @throws Error if the program ends before */
  line(pattern: RegExp): Promise<string>;
  /** @returns its exit status */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Shell extends Place {
  tryRun(program: string, args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** @throws Error with the output if the exit status is not 0 */
  run(program: string, args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  start(program: string, args: readonly string[], env?: Record<string, string>): Running;
}

/** Ends what hangs. */
const TIMEOUT_MS = 180_000;

export function createShell({ folder, bin, proxy }: Place): Shell {
  const settings = {
    PATH: bin,
    HOME: dirname(bin),
    npm_config_cache: process.env.npm_config_cache ?? `${process.env.HOME}/.npm`,
    npm_config_update_notifier: 'false',
    // Where a registry has a certificate of its own.
    ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
    ...Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'npm_config_proxy', 'npm_config_https_proxy'].map((name) => [name, proxy.address]),
    ),
    NO_PROXY: '127.0.0.1',
  };
  const optionsWith = (env: Record<string, string> = {}) => ({ cwd: folder, env: { ...settings, ...env } });
  const tryRun: Shell['tryRun'] = async (program, args, env) => {
    const child = spawn(program, args, { ...optionsWith(env), stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { status, out, err };
  };
  return {
    ...{ folder, bin, proxy, tryRun },
    async run(program, args, env) {
      const ended = await tryRun(program, args, env);
      if (ended.status === 0) return ended;
      throw new Error(`${program} ${args.join(' ')} ended with ${ended.status}:\n${ended.out}${ended.err}`);
    },
    start(program, args, env) {
      const child = spawn(program, args, { ...optionsWith(env), stdio: 'pipe' });
      let output = '';
      const collect = (chunk: Buffer) => {
        output += chunk;
      };
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      const ended = once(child, 'exit');
      const line = (pattern: RegExp) =>
        new Promise<string>((resolve, reject) => {
          const look = () => {
            const found = pattern.exec(output);
            if (found) resolve(found[1] ?? '');
          };
          child.stdout.on('data', look);
          ended.then(() => reject(new Error(`Expected ${pattern} but received:\n${output}`)), reject);
        });
      const end = async (signal: NodeJS.Signals) => {
        child.kill(signal);
        return ((await ended) as [number | null])[0];
      };
      return { child, line, end };
    },
  };
}
