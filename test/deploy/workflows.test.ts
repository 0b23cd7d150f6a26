/** The workflows of GitHub: what they start exists, and they have no more rights than they need. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { repositoryFile } from '../support/repository.ts';

interface Step {
  uses?: string;
  run?: string;
}
interface Job {
  permissions?: object;
  'timeout-minutes'?: number;
  steps: Step[];
  strategy?: { matrix: { node: number[] } };
}

const FOLDER = '.github/workflows';
const read = (path: string): string => readFileSync(repositoryFile(path), 'utf8');
const workflows = readdirSync(repositoryFile(FOLDER)).map((name) => ({
  name,
  ...(parse(read(`${FOLDER}/${name}`)) as { permissions: object; jobs: Record<string, Job> }),
}));
const jobs = workflows.flatMap(({ name, jobs }) =>
  Object.entries(jobs).map(([id, job]) => ({ name: `${id} in ${name}`, ...job })),
);

describe('the workflows', () => {
  it('have rights and a time limit for each job, and pinned actions', () => {
    for (const { name, permissions } of workflows) assert.deepEqual(permissions, {}, name);
    for (const { name, permissions, 'timeout-minutes': minutes, steps } of jobs) {
      assert.ok(permissions && minutes, name);
      for (const { uses } of steps) assert.match(uses ?? '@v1', /@v\d+(?:\.\d+)*$/, name);
    }
  });

  it('start only programs and scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    for (const command of [...commands, read('.ci/run')]) {
      for (const [path] of command.matchAll(/(?:\.ci|scripts)\/[\w./-]+/g))
        assert.ok(existsSync(repositoryFile(path)), path);
      for (const [, script] of command.matchAll(/npm run ([\w:]+)/g)) assert.ok(scripts[script!], script);
    }
  });

  it('test the oldest Node that package.json allows, and the one of the container image', () => {
    const { node } = jobs.find(({ strategy }) => strategy)!.strategy!.matrix;
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const ofImage = [...read('Dockerfile').matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => Number(major));
    assert.equal(Math.min(...node), Number(/\d+/.exec(engines.node)![0]));
    assert.ok(ofImage.length > 0 && ofImage.every((major) => node.includes(major)), String(ofImage));
  });
});
