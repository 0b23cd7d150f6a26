import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarations } from '../../../console/declarations/declarations.ts';
import { colourKeywords, selectControl } from '../../../console/parameters/controls.ts';
import { groupParameters } from '../../../console/parameters/groups.ts';

describe('forms of parameters', () => {
  for (const operation of declarations.operations)
    it(`of ${operation.id} have each parameter in one group`, () => {
      const grouped = groupParameters(operation).flatMap((group) => group.parameters.map(({ name }) => name));
      assert.deepEqual(grouped.sort(), operation.parameters.map(({ name }) => name).sort());
    });

  it('choose the control that fits the parameter', () => {
    const compress = declarations.operations.find(({ id }) => id === 'compress')!.parameters;
    const kinds = Object.fromEntries(compress.map((parameter) => [parameter.name, selectControl(parameter)]));
    const { quality, width, format, mode, enlarge, border_color, watermark_text, deliver_to, print_width } = kinds;
    assert.deepEqual(
      { quality, width, format, mode, enlarge, border_color, watermark_text, deliver_to, print_width },
      {
        ...{ quality: 'slider', width: 'number', format: 'select', mode: 'segments', enlarge: 'switch' },
        ...{ border_color: 'colour', watermark_text: 'text', deliver_to: 'url', print_width: 'number' },
      },
    );
  });

  it('offer the keywords that can replace a colour', () => {
    const find = (operation: string, name: string) =>
      declarations.operations.find(({ id }) => id === operation)!.parameters.find((one) => one.name === name)!;
    assert.deepEqual(colourKeywords(find('compress', 'background')), []);
    assert.deepEqual(colourKeywords(find('compress', 'border_color')), ['transparent']);
    assert.deepEqual(colourKeywords(find('remove-background', 'background')), [
      'transparent',
      'gradient',
      'blur',
      'image',
    ]);
  });
});
