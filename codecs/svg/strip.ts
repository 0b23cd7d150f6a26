/**
 * Removes parts of an SVG document that are not drawn and may identify its author: comments, `metadata` elements,
 * editor data.
 */
import { type Attribute, type Token, tokenize } from '../metadata/xml.ts';
import { localName } from './prolog.ts';

/** Namespaces of editors from svgo (removeEditorsNSData). Inkscape stores names of files and folders. */
const EDITOR_NAMESPACES: ReadonlySet<string> = new Set([
  'http://creativecommons.org/ns#',
  'http://inkscape.sourceforge.net/DTD/sodipodi-0.dtd',
  'http://krita.org/namespaces/svg/krita',
  'http://ns.adobe.com/AdobeIllustrator/10.0/',
  'http://ns.adobe.com/AdobeSVGViewerExtensions/3.0/',
  'http://ns.adobe.com/Extensibility/1.0/',
  'http://ns.adobe.com/Flows/1.0/',
  'http://ns.adobe.com/GenericCustomNamespace/1.0/',
  'http://ns.adobe.com/Graphs/1.0/',
  'http://ns.adobe.com/ImageReplacement/1.0/',
  'http://ns.adobe.com/SaveForWeb/1.0/',
  'http://ns.adobe.com/Variables/1.0/',
  'http://ns.adobe.com/XPath/1.0/',
  'http://purl.org/dc/elements/1.1/',
  'http://schemas.microsoft.com/visio/2003/SVGExtensions/',
  'http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd',
  'http://taptrix.com/vectorillustrator/svg_extensions',
  'http://www.bohemiancoding.com/sketch/ns',
  'http://www.figma.com/figma/ns',
  'http://www.inkscape.org/namespaces/inkscape',
  'http://www.serif.com/',
  'http://www.vector.evaxdesign.sk',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'https://boxy-svg.com',
]);
const NAMESPACE_DECLARATION = 'xmlns:';

type Opened = Extract<Token, { kind: 'open' }>;

/**
 * Removes these parts and changes nothing else, so that the drawing stays the same.
 * @param markup the first element and everything behind it; it declares no entities
 * @returns undefined when the text is not well-formed, or a prefix means more than one namespace
 */
export function stripMarkup(markup: string): string | undefined {
  let editors: ReadonlySet<string> | undefined;
  /** Prefix of SVG's own elements. */
  let root = '';
  let kept = '';
  let copied = 0;
  let depth = 0;
  /** Depth of the element that is being removed. */
  let leftOut: number | undefined;
  const cut = (start: number, end: number) => {
    kept += markup.slice(copied, start);
    copied = end;
  };
  for (const token of tokenize(markup)) {
    switch (token.kind) {
      case 'damage':
        return undefined;
      case 'other':
        if (leftOut === undefined && token.comment) cut(token.start, token.end);
        break;
      case 'open': {
        if (editors === undefined) root = prefixOf(token.name);
        editors ??= editorPrefixes(token);
        if (leftOut === undefined) {
          if (redeclaresAny(token, editors)) return undefined;
          if (depth > 0 && isRemoved(token, root, editors)) {
            cut(token.start, token.end);
            if (!token.selfClosing) leftOut = depth;
          } else {
            for (const attribute of token.attributes)
              if (isEditorAttribute(attribute, editors)) cut(attribute.start, attribute.end);
          }
        }
        if (!token.selfClosing) depth++;
        break;
      }
      default:
        depth--;
        if (leftOut === depth) {
          copied = token.end;
          leftOut = undefined;
        }
    }
  }
  return kept + markup.slice(copied);
}

const isDeclaration = ({ name }: Attribute): boolean => name.startsWith(NAMESPACE_DECLARATION);
const namesEditor = ({ value }: Attribute): boolean => EDITOR_NAMESPACES.has(value);

function editorPrefixes({ attributes }: Opened): Set<string> {
  const declarations = attributes.filter((attribute) => isDeclaration(attribute) && namesEditor(attribute));
  return new Set(declarations.map(({ name }) => localName(name)));
}

/** Whether an editor's prefix is redeclared with another meaning. */
const redeclaresAny = ({ attributes }: Opened, editors: ReadonlySet<string>): boolean =>
  attributes.some(
    (attribute) => isDeclaration(attribute) && editors.has(localName(attribute.name)) && !namesEditor(attribute),
  );

const prefixOf = (name: string): string => (name.includes(':') ? name.slice(0, name.indexOf(':')) : '');

function isRemoved({ name }: Opened, root: string, editors: ReadonlySet<string>): boolean {
  const prefix = prefixOf(name);
  return editors.has(prefix) || (localName(name) === 'metadata' && prefix === root);
}

const isEditorAttribute = (attribute: Attribute, editors: ReadonlySet<string>): boolean =>
  isDeclaration(attribute) ? editors.has(localName(attribute.name)) : editors.has(prefixOf(attribute.name));
