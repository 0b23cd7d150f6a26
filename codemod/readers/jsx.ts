/** Reads the names and attributes of JSX elements. */
import { type Attributes, Markup } from '../../web-documents/markup.ts';
import { type NameList, namesOf } from '../../web-documents/names.ts';
import type { SourceText } from '../../web-documents/source-text.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { attributeValue } from './escapes.ts';
import type { ImageElement } from './image-element.ts';
import { isNode, type Node, nodes } from './script-syntax.ts';

/** The name of an element or attribute. */
export function nameOf(node: Node): string {
  if (node.type === 'JSXMemberExpression') return nameOf(node.property as Node);
  if (node.type === 'JSXNamespacedName') return `${nameOf(node.namespace as Node)}:${nameOf(node.name as Node)}`;
  return String(node.name);
}

/** The attributes of a JSX element. A spread may add unknown ones. */
export function attributesOf(opening: Node): Pick<ImageElement, 'attributes' | 'hasUnknownAttributes'> {
  const attributes = new Map<string, string | undefined>();
  let hasUnknownAttributes = false;
  for (const { type, name, value } of nodes(opening.attributes)) {
    if (type === 'JSXAttribute') attributes.set(nameOf(name as Node).toLowerCase(), literalOf(value));
    else hasUnknownAttributes = true;
  }
  return { attributes, hasUnknownAttributes };
}

/** The value of a JSX attribute if it is a literal. */
function literalOf(value: unknown): string | undefined {
  if (!isNode(value)) return '';
  const node = value.type === 'JSXExpressionContainer' && isNode(value.expression) ? value.expression : value;
  return /^(?:String|Numeric)Literal$/.test(node.type) ? String(node.value) : undefined;
}

/** The names of a JSX element; undefined for a component, or if expressions determine them. */
export function namesOfElement(opening: Node): NameList | undefined {
  const name = opening.name as Node;
  const { attributes, hasUnknownAttributes } = attributesOf(opening);
  const [classes, id] = ['classname', 'id'].map((each) => (attributes.has(each) ? attributes.get(each) : null));
  if (name.type !== 'JSXIdentifier' || !/^[a-z]/.test(nameOf(name)) || hasUnknownAttributes) return undefined;
  return classes === undefined || id === undefined ? undefined : namesOf(nameOf(name), id, classes);
}

const BEFORE = '<a b=';

/** The value of an attribute that was not found by the markup parser. @param layer starts and ends with its quotes */
export function attributeText(layer: EmbeddedSource): EmbeddedSource {
  const quote = layer.text[0]!;
  const inner = layer.part({ start: 1, end: layer.text.length - 1 }, attributeValue(quote));
  if (!layer.text.includes('&')) return inner;
  let value: SourceText | undefined;
  const open = (_: string, attributes: Attributes) => {
    value = attributes.get('b');
  };
  new Markup(`${BEFORE}${layer.text}>`, { wants: () => true, foreign: () => false, open }, false).read();
  return value && value.text !== '' ? layer.over(value, attributeValue(quote), BEFORE.length) : inner;
}
