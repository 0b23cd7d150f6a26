/** Context of the local server's tools: one project, and the packages and plans of this process. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../chromium/chromium.ts';
import { packageNotFound, planNotFound } from './errors.ts';
import type { Service } from './package/download.ts';
import { openPackage } from './package/load.ts';
import type { ReplacementPackage } from './package/package.ts';
import type { Plan } from './plan/plan.ts';
import type { ProjectRoot } from './project/root.ts';
import { ensureStateFolder } from './state-folder.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

export class LocalContext {
  readonly root: ProjectRoot;
  readonly service: Service;
  /** Environment of the process, used to find Chromium. */
  readonly env: Environment;
  readonly #packages = new Map<string, ReplacementPackage>();
  readonly #plans = new Map<string, Plan>();
  /** Diffs by plan, as UTF-8. */
  readonly #diffs = new WeakMap<Plan, Buffer>();

  constructor(root: ProjectRoot, service: Service, env: Environment) {
    this.root = root;
    this.service = service;
    this.env = env;
  }

  addPackage(loaded: ReplacementPackage): void {
    // Reinserted, so that the latest package is the last.
    this.#packages.delete(loaded.id);
    this.#packages.set(loaded.id, loaded);
  }

  /**
   * Returns a package.
   * @param id default: the latest of this process
   * @throws Failure `package_not_found`
   */
  async package(id: string | undefined): Promise<ReplacementPackage> {
    const found = id === undefined ? [...this.#packages.values()].at(-1) : this.#packages.get(id);
    if (found) return found;
    if (id === undefined) throw packageNotFound(id);
    const opened = await openPackage(this.root, id);
    this.addPackage(opened);
    return opened;
  }

  /** @param diff of all files, in the format of `git apply` */
  addPlan(plan: Plan, diff: Buffer): void {
    this.#plans.set(plan.id, plan);
    this.#diffs.set(plan, diff);
  }

  diffOf(plan: Plan): Buffer {
    return this.#diffs.get(plan)!;
  }

  /**
   * Returns a plan that this process has shown.
   * @param id default: the latest
   * @throws Failure `plan_not_found`
   */
  plan(id: string | undefined): Plan {
    const found = id === undefined ? [...this.#plans.values()].at(-1) : this.#plans.get(id);
    if (!found) throw planNotFound('a plan that this process has shown', id);
    return found;
  }

  /** Returns the latest applied plan of this process. @throws Failure `plan_not_found` */
  appliedPlan(id: string | undefined): Plan {
    const found =
      id === undefined ? [...this.#plans.values()].findLast(({ status }) => status === 'applied') : this.plan(id);
    if (found?.status !== 'applied') throw planNotFound('a plan that has been applied', id);
    return found;
  }

  planOfBackup(backupId: string): Plan | undefined {
    return [...this.#plans.values()].find((plan) => plan.backupId === backupId);
  }

  /**
   * Appends a line to `.ic/log.jsonl`. It records actions, never file contents. Errors are ignored, because the action
   * is already done.
   */
  async log(entry: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#append(entry).catch(() => {});
  }

  async #append(entry: Readonly<Record<string, unknown>>): Promise<void> {
    const folder = await ensureStateFolder(this.root);
    const line = `${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`;
    await this.root.inFolder(folder, async (held) => {
      const file = await open(join(held, 'log.jsonl'), O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0), 0o600);
      try {
        await file.appendFile(line);
      } finally {
        await file.close();
      }
    });
  }
}
