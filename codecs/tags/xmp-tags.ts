/** Reads XMP packets (ISO 16684-1) as names and values such as `dc:title`. Lists become arrays, structures objects. */
import { bufferOf } from '../metadata/bytes.ts';
import { type Attribute, tokenize } from '../metadata/xml.ts';
import { type MetadataBudget, type MetadataObject, type MetadataValue, put } from './plain.ts';
import { PREFIXES } from './xmp-namespaces.ts';

/** Real packets have a few hundred kilobytes. Anything beyond the limit is ignored. */
const MAX_PACKET_BYTES = 4 * 1024 * 1024;
const MAX_ELEMENTS = 20_000;
/** Structures and lists nest a dozen levels deep, each of which takes two elements. */
const MAX_DEPTH = 32;

interface Element {
  /** Has the usual prefix of its namespace. */
  name: string;
  /** Excludes namespace declarations. */
  attributes: readonly { name: string; value: string }[];
  children: Element[];
  text: string;
}

/** Declared prefixes with their namespaces. */
interface Scope {
  declared: ReadonlyMap<string, string>;
  outer: Scope | undefined;
}

/** Reads the properties of the packet, up to any damage. Never throws. */
export function readXmpTags(packet: Uint8Array, allowance: MetadataBudget): MetadataObject {
  const properties: MetadataObject = {};
  for (const description of descriptionsOf(parse(decode(packet)))) readProperties(description, properties, allowance);
  return properties;
}

const LITTLE_ENDIAN_MARK = 0xfeff;
const BIG_ENDIAN_MARK = 0xfffe;

function decode(packet: Uint8Array): string {
  const buffer = bufferOf(packet.subarray(0, MAX_PACKET_BYTES));
  const mark = buffer.length >= 2 ? buffer.readUInt16LE(0) : 0;
  if (mark === LITTLE_ENDIAN_MARK) return buffer.toString('utf16le');
  if (mark === BIG_ENDIAN_MARK)
    return Buffer.from(buffer.subarray(0, buffer.length & ~1))
      .swap16()
      .toString('utf16le');
  return buffer.toString('utf8');
}

/** Parses the text into elements below an artificial root. */
function parse(text: string): Element {
  const root: Element = { name: '', attributes: [], children: [], text: '' };
  const open: { element: Element; scope: Scope | undefined }[] = [{ element: root, scope: undefined }];
  /** Number of open elements that are nested too deep; they are left out with their content. */
  let ignored = 0;
  let elements = 0;
  let textStart = 0;
  for (const token of tokenize(text)) {
    if (token.kind === 'damage') break;
    const { element: parent, scope } = open.at(-1)!;
    if (ignored === 0) parent.text += text.slice(textStart, token.start);
    textStart = token.end;
    if (token.kind === 'other') continue;
    if (token.kind === 'close') {
      if (ignored > 0) ignored -= 1;
      else open.pop();
      continue;
    }
    elements += 1;
    if (elements > MAX_ELEMENTS) break;
    if (ignored > 0 || open.length > MAX_DEPTH) {
      if (!token.selfClosing) ignored += 1;
      continue;
    }
    const inner = scopeOf(token.attributes, scope);
    const element: Element = {
      name: usualName(token.name, inner),
      attributes: token.attributes
        .filter(({ name }) => !DECLARATION.test(name))
        .map(({ name, value }) => ({ name: usualName(name, inner), value: unescaped(value) })),
      children: [],
      text: '',
    };
    parent.children.push(element);
    if (!token.selfClosing) open.push({ element, scope: inner });
  }
  return root;
}

const DECLARATION = /^xmlns(:|$)/;

function scopeOf(attributes: readonly Attribute[], outer: Scope | undefined): Scope | undefined {
  const declarations = attributes.filter(({ name }) => DECLARATION.test(name));
  if (declarations.length === 0) return outer;
  return { declared: new Map(declarations.map(({ name, value }) => [name.slice('xmlns:'.length), value])), outer };
}

function usualName(name: string, scope: Scope | undefined): string {
  const colon = name.indexOf(':');
  const prefix = colon === -1 ? '' : name.slice(0, colon);
  for (let at = scope; at; at = at.outer) {
    const uri = at.declared.get(prefix);
    if (uri === undefined) continue;
    const usual = PREFIXES.get(uri) ?? prefix;
    return usual === '' ? name : `${usual}:${name.slice(colon + 1)}`;
  }
  return name;
}

const ENTITY = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LAST_CHARACTER = 0x10ffff;

/** Replaces the five entities predefined in XML and numeric references. Others cannot have been declared. */
function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (all, hexadecimal?: string, decimal?: string, named?: string) => {
    if (named !== undefined) return NAMED[named.toLowerCase()] ?? all;
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code <= LAST_CHARACTER ? String.fromCodePoint(code) : all;
  });
}

/** Returns the `rdf:Description` elements that describe the image, whatever wrappers surround them. */
function descriptionsOf(root: Element): Element[] {
  const found: Element[] = [];
  for (let level = [root]; level.length > 0; ) {
    const rdf = level.filter(({ name }) => name === 'rdf:RDF');
    found.push(...rdf.flatMap(({ children }) => children.filter(({ name }) => name === 'rdf:Description')));
    level = level.filter(({ name }) => name !== 'rdf:RDF').flatMap(({ children }) => children);
  }
  return found;
}

/** Attributes that belong to RDF or XML itself and are not properties. */
const SYNTAX = /^(rdf|xml):/;

function readProperties({ attributes, children }: Element, into: MetadataObject, allowance: MetadataBudget): void {
  for (const { name, value } of attributes) {
    if (!SYNTAX.test(name) && allowance.take()) put(into, name, allowance.text(value));
  }
  for (const child of children) {
    if (!allowance.take()) return;
    if (SYNTAX.test(child.name)) continue;
    const value = plainOf(child, allowance);
    if (value !== '') put(into, child.name, value);
    for (const [language, text] of translations(child)) {
      if (allowance.take()) put(into, `${child.name}-${language}`, allowance.text(text));
    }
  }
}

const ARRAYS: ReadonlySet<string> = new Set(['rdf:Bag', 'rdf:Seq']);
const DEFAULT_LANGUAGE = 'x-default';

/** The depth of the tree bounds the recursion. */
function plainOf(element: Element, allowance: MetadataBudget): MetadataValue {
  const { attributes, children, text } = element;
  const array = children.find(({ name }) => ARRAYS.has(name));
  if (array) return allowance.list(itemsOf(array), (item) => plainOf(item, allowance));
  const alternatives = children.find(({ name }) => name === 'rdf:Alt');
  if (alternatives) {
    const items = itemsOf(alternatives);
    const chosen = items.find((item) => languageOf(item) === DEFAULT_LANGUAGE) ?? items[0];
    return chosen ? plainOf(chosen, allowance) : '';
  }
  const nested = children.find(({ name }) => name === 'rdf:Description');
  if (nested) return structureOf(nested, allowance);
  const isStructure = children.length > 0 || attributes.some(({ name }) => !SYNTAX.test(name));
  if (isStructure) return structureOf(element, allowance);
  const resource = attributes.find(({ name }) => name === 'rdf:resource');
  return allowance.text(resource ? resource.value : unescaped(text));
}

/** Reads a structure. Of a value with qualifiers, only the value is returned. */
function structureOf(element: Element, allowance: MetadataBudget): MetadataValue {
  const value = element.children.find(({ name }) => name === 'rdf:value');
  if (value) return plainOf(value, allowance);
  const fields: MetadataObject = {};
  readProperties(element, fields, allowance);
  return fields;
}

const itemsOf = (array: Element): Element[] => array.children.filter(({ name }) => name === 'rdf:li');

const languageOf = ({ attributes }: Element): string | undefined =>
  attributes.find(({ name }) => name === 'xml:lang')?.value;

/** Returns the texts of a property in languages other than its default. */
function translations({ children }: Element): [language: string, text: string][] {
  const alternatives = children.find(({ name }) => name === 'rdf:Alt');
  const items = alternatives ? itemsOf(alternatives) : [];
  const hasDefault = items.some((item) => languageOf(item) === DEFAULT_LANGUAGE);
  return items.slice(hasDefault ? 0 : 1).flatMap((item) => {
    const language = languageOf(item);
    return language === undefined || language === DEFAULT_LANGUAGE ? [] : [[language, unescaped(item.text)]];
  });
}
