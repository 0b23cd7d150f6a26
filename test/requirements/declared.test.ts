import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { declared } from './declared.ts';

const of = declared(
  z.strictObject({
    count: z.int().min(-3).max(12).default(4),
    width: z.number().min(1).max(9.5).optional(),
    height: z.number().min(1).max(9.5).optional(),
    fit: z.enum(['inside', 'cover']).default('cover'),
    name: z.string().max(60).optional(),
  }),
);

describe('promises from declarations', () => {
  it('have the declared bounds, values and defaults', () => {
    assert.equal(of.range('count'), 'count is an integer from -3 to 12');
    assert.equal(of.range('width', 'height'), 'width and height are numbers from 1 to 9.5');
    assert.equal(of.values('fit'), 'fit is one of inside, cover');
    assert.equal(of.length('name'), 'name has at most 60 characters');
    assert.equal(of.default('count'), 'default 4');
    assert.equal(of.unset('fit'), 'fit is cover when it is not given');
  });

  it('are rejected if the declaration does not have them', () => {
    assert.throws(() => of.range('depth'), /received depth/);
    assert.throws(() => of.range('name'), /minimum in the declaration of name/);
    assert.throws(() => of.range('count', 'width'), /one range for count, width/);
    assert.throws(() => of.default('width'), /default in the declaration of width/);
  });
});
