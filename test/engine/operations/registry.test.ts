import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayUseAi } from '../../../engine/operations/definition.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { OPERATION_FIELDS, OPERATIONS, operationNamed } from '../../../engine/operations/registry.ts';

describe('the registry of operations', () => {
  it('has names that differ', () => {
    const names = OPERATIONS.map(({ name }) => name);
    assert.deepEqual([...new Set(names)], names);
    for (const operation of OPERATIONS) assert.equal(operationNamed(operation.name), operation);
    assert.equal(operationNamed('match-paths'), undefined);
  });

  for (const { name } of OPERATIONS)
    it(`has the execution of ${name} in the folder of its name, where workers look for it`, async () => {
      const file = new URL(`../../../engine/operations/${name}/run${import.meta.url.slice(-3)}`, import.meta.url);
      assert.equal(typeof (await import(file.href)).run, 'function');
    });

  it('puts only parameters that exist into groups, each into one', () => {
    for (const { name, groups, params } of OPERATIONS) {
      const grouped = groups.flatMap(({ parameters }) => parameters);
      assert.deepEqual([...new Set(grouped)], grouped, name);
      for (const parameter of grouped) assert.ok(parameter in params.shape, `${name}: ${parameter}`);
    }
  });

  it('has no parameter of an operation or a tool that hides a parameter of the source', () => {
    for (const { name, params, agentTools = [] } of OPERATIONS) {
      const own = Object.keys(params.shape);
      assert.deepEqual(
        own.filter((parameter) => parameter in sourceParams.shape),
        [],
        name,
      );
      for (const tool of agentTools)
        for (const parameter of Object.keys(tool.params.shape))
          assert.ok(own.includes(parameter) || parameter in sourceParams.shape, `${tool.name}: ${parameter}`);
    }
  });

  it('names the model of every operation that may count as an AI request', () => {
    for (const { name, model, meter } of OPERATIONS) assert.equal(model !== undefined, mayUseAi({ meter }), name);
  });

  it('has one header for each field', () => {
    const headers = OPERATION_FIELDS.map(({ header }) => header);
    assert.deepEqual([...new Set(headers)], headers);
  });
});
