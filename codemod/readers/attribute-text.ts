import { Markup } from '../../web-documents/markup.ts';
import type { SourceText } from '../../web-documents/source-text.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { attributeValue } from './escapes.ts';

const BEFORE = '<a b=';

/** The value of an attribute that was not found by the markup parser. @param layer starts and ends with its quotes */
export function attributeText(layer: EmbeddedSource): EmbeddedSource {
  const quote = layer.text[0]!;
  const inner = layer.part({ start: 1, end: layer.text.length - 1 }, attributeValue(quote));
  if (!layer.text.includes('&')) return inner;
  let value: SourceText | undefined;
  new Markup(
    `${BEFORE}${layer.text}>`,
    {
      wants: () => true,
      foreign: () => false,
      open: (_, attributes) => {
        value = attributes.get('b');
      },
      close: () => {},
      text: () => {},
      textReference: () => {},
      instruction: () => {},
    },
    false,
  ).read();
  return value && value.text !== '' ? layer.over(value, attributeValue(quote), BEFORE.length) : inner;
}
