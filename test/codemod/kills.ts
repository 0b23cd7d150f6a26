/**
 * Kills the local server at random moments of applies and rollbacks. Checks every byte of the project after each
 * kill.
 */
import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { withFolder, writeFiles } from '../support/folder.ts';
import { Random } from '../support/random.ts';
import { type Files, PACKAGE_ID, packageFiles, photo, type ScannedImage, snapshot, zipped } from './desk.ts';
import { type LocalProcess, withLocalProcess } from './process.ts';

export interface KillsOptions {
  kills: number;
  seed: number;
}

export interface KillsReport {
  kills: number;
  /** Additional kills, during rollbacks. */
  rollbackKills: number;
  files: number;
  images: number;
  /** Duration of an apply that is not killed. */
  applyMs: number;
  /** Number of kills by the state of the apply: no backup yet, nothing changed, partly changed, fully changed. */
  moments: { beforeBackup: number; beforeChange: number; halfWay: number; afterChange: number };
  /** For each kill, how many files were new. */
  newAtKills: number[];
  /** Number of files that were neither old nor new. */
  torn: number;
  /** Number of rollbacks that did not restore the original tree. */
  notRestored: number;
}

const SOURCES = 40;
const IMAGES = 24;

async function makeProject(root: string): Promise<void> {
  const images: ScannedImage[] = [];
  const files: Files = {};
  for (let n = 0; n < IMAGES; n += 1) {
    const data = await photo(n);
    images.push({ at: `/img/photo-${n}.jpg`, data });
    files[`img/photo-${n}.jpg`] = data;
  }
  for (let n = 0; n < SOURCES; n += 1) {
    const end = n % 3 === 0 ? '\r\n' : '\n';
    const lines = Array.from({ length: 200 }, (_, line) => `<p>Page ${n}, line ${line}</p>`);
    lines.push(...Array.from({ length: 6 }, (_, m) => `<img src="/img/photo-${(n * 5 + m) % IMAGES}.jpg" alt="">`));
    files[`pages/page-${n}.html`] = `${n % 4 === 0 ? '\ufeff' : ''}${lines.join(end)}${n % 2 === 0 ? end : ''}`;
  }
  await writeFiles(root, files);
  await chmod(join(root, 'pages/page-1.html'), 0o755);
  await chmod(join(root, 'pages/page-2.html'), 0o600);
  await writeFiles(root, { '.ic/incoming.zip': zipped(await packageFiles(images)) });
}

/**
 * Kills the server repeatedly and counts what it finds.
 * @throws AssertionError if a file is torn or a rollback does not restore every byte
 */
export async function killDuringApplies({ kills, seed }: KillsOptions): Promise<KillsReport> {
  return await withFolder(async (folder) => {
    const root = join(folder, 'project');
    await mkdir(root);
    await makeProject(root);
    const house = new KillRun(root, new Random(seed));
    await house.open();
    for (let killed = 0; killed < kills; killed += 1) await house.killOnce();
    await house.end();
    return house.report;
  });
}

class KillRun {
  readonly report: KillsReport = {
    kills: 0,
    rollbackKills: 0,
    files: SOURCES,
    images: IMAGES,
    applyMs: 0,
    moments: { beforeBackup: 0, beforeChange: 0, halfWay: 0, afterChange: 0 },
    newAtKills: [],
    torn: 0,
    notRestored: 0,
  };
  readonly #root: string;
  readonly #random: Random;
  #old: Record<string, string> = {};
  #new: Record<string, string> = {};

  constructor(root: string, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  /** Runs one apply without a kill, to record the new state and how long it takes. */
  async open(): Promise<void> {
    this.#old = await snapshot(this.#root);
    await withLocalProcess(this.#root, async (local) => {
      await local.call('load_replacement_package', { path: '.ic/incoming.zip' });
      const plan = await this.#preview(local);
      const startedAt = performance.now();
      await local.call('apply_replacements', plan);
      this.report.applyMs = Math.round(performance.now() - startedAt);
      this.#new = await snapshot(this.#root);
      assert.equal(Object.keys(this.#new).length, Object.keys(this.#old).length + IMAGES);
      await local.call('rollback', { approved: true });
    });
    await this.#assertRestored();
  }

  async #preview(local: LocalProcess): Promise<{ plan_id: string; approved: true }> {
    const { plan_id, summary } = await local.call('preview_replacements', { package_id: PACKAGE_ID });
    assert.deepEqual(
      [(summary as { files_changed: number }).files_changed, (summary as { images_added: number }).images_added],
      [SOURCES, IMAGES],
    );
    return { plan_id: String(plan_id), approved: true };
  }

  /** Rolls back what the previous kill has left, applies again and kills the server. */
  async killOnce(): Promise<void> {
    await withLocalProcess(this.#root, async (local) => {
      await this.#rollBack(local);
      const plan = await this.#preview(local);
      // The first kill is after the end of the apply: random moments may never hit that state.
      if (this.report.kills === 0) await this.#killAfter(local, 'apply_replacements', plan);
      else await this.#killDuring(local, 'apply_replacements', plan);
    });
    this.report.kills += 1;
    await this.#recordState();
    // Sometimes the rollback is killed as well.
    if (this.#random.integer(4) !== 0) return;
    await withLocalProcess(this.#root, (local) => this.#killDuring(local, 'rollback', { approved: true }));
    this.report.rollbackKills += 1;
    await this.#assertWhole();
  }

  async end(): Promise<void> {
    await withLocalProcess(this.#root, (local) => this.#rollBack(local));
  }

  /**
   * Kills at a random moment of the call or after a random number of touched files. The latter is more frequent
   * because the changes take only a small part of the call.
   */
  async #killDuring(local: LocalProcess, tool: string, args: Record<string, unknown>): Promise<void> {
    let touches = 1 + this.#random.integer(SOURCES + IMAGES);
    const isAnyMoment = this.#random.integer(4) === 0;
    const watching = new AbortController();
    const touched = new Promise<void>((resolve) => {
      for (const folder of ['img', 'pages', '.ic/backups']) {
        watch(join(this.#root, folder), { signal: watching.signal }, () => {
          touches -= 1;
          if (touches === 0) resolve();
        });
      }
    });
    const answered = local.send(tool, args).then(
      () => {},
      () => {},
    );
    if (isAnyMoment) await wait(this.#random.integer(this.report.applyMs));
    else await Promise.race([touched, answered]);
    await local.kill();
    watching.abort();
    await answered;
  }

  async #killAfter(local: LocalProcess, tool: string, args: Record<string, unknown>): Promise<void> {
    await local.call(tool, args);
    await local.kill();
  }

  async #rollBack(local: LocalProcess): Promise<void> {
    const { structuredContent, isError } = await local.send('rollback', { approved: true });
    const { error, kept } = structuredContent as { error?: { code: string }; kept?: unknown[] };
    if (isError) assert.equal(error?.code, 'backup_not_found');
    else assert.deepEqual(kept, []);
    await this.#assertRestored();
  }

  async #assertRestored(): Promise<void> {
    const now = await snapshot(this.#root);
    if (JSON.stringify(now) !== JSON.stringify(this.#old)) this.report.notRestored += 1;
    assert.deepEqual(now, this.#old);
  }

  /**
   * Asserts that every file is either old or new and that there are no other files.
   * @returns the number of new files
   */
  async #assertWhole(): Promise<number> {
    const now = await snapshot(this.#root);
    let changed = 0;
    for (const path of new Set([...Object.keys(now), ...Object.keys(this.#old)])) {
      const isNew = now[path] !== this.#old[path];
      if (isNew && now[path] !== this.#new[path]) this.report.torn += 1;
      if (isNew) {
        changed += 1;
        assert.equal(now[path], this.#new[path], path);
      }
    }
    return changed;
  }

  async #recordState(): Promise<void> {
    const changed = await this.#assertWhole();
    this.report.newAtKills.push(changed);
    const { moments } = this.report;
    if (changed === SOURCES + IMAGES) moments.afterChange += 1;
    else if (changed > 0) moments.halfWay += 1;
    else if (await this.#hasOpenBackup()) moments.beforeChange += 1;
    else moments.beforeBackup += 1;
  }

  /** Tells whether a backup is open. Deletes the finished backups, so that they are not read again each time. */
  async #hasOpenBackup(): Promise<boolean> {
    const folder = join(this.#root, '.ic/backups');
    let isOpen = false;
    for (const id of await readdir(folder)) {
      const { status } = JSON.parse(await readFile(join(folder, id, 'manifest.json'), 'utf8')) as { status: string };
      if (status === 'rolled_back') await rm(join(folder, id), { recursive: true });
      else isOpen = true;
    }
    return isOpen;
  }
}
