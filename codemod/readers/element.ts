/** Maps attributes of HTML and similar languages to the images that they name (docs/spec/shapes.md, section 16.2). */
import { rolesWithUse } from '../../base/reference-roles.ts';
import { hasImageExtension } from '../../web-documents/address.ts';
import {
  BACKGROUNDS,
  ICON_RELATIONS,
  LAZY_ATTRIBUTES,
  META_ROLES,
  SRCSET_ATTRIBUTES,
} from '../../web-documents/image-elements.ts';
import type { CandidateKind, ImageTag, Reason } from './candidate.ts';
import { readCssText } from './css.ts';
import { type EmbeddedSource, UNKNOWN } from './embedded-source.ts';
import { encodeImageName, namesImage } from './image-name.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readSrcset, readValue } from './value.ts';

/** The element that an attribute belongs to, which determines the attribute's meaning. */
export interface Element {
  /** In lower case. */
  name: string;
  /** Text of an attribute by lower-case name; undefined if it is missing or unknown. */
  get(attribute: string): string | undefined;
  inNoscript?: boolean;
  /** Whether its images are converted at build time. */
  optimizes?: boolean;
  image?: ImageTag | undefined;
}

/** `named`: applies only to values with the name of an image. */
interface AttributeRole {
  kind: CandidateKind;
  form: 'address' | 'srcset' | 'style' | 'value';
  named?: boolean;
}

const SOCIAL_NAME =
  /^(og|openGraph|twitter|social|share|sharing)[_:-]?(?:card[_:-]?)?(?:image|img|picture)(?:s|[_:-]?(?:url|src|path))?$/i;
const AMP = new Set(['amp-img', 'amp-anim']);
const LAZY = new Set(LAZY_ATTRIBUTES);
/** Attributes that never contain an image address. */
const TEXTS = new Set(['alt', 'title', 'class', 'id', 'name', 'placeholder', 'download', 'd', 'for', 'xmlns']);

/** @param attribute in lower case, also for JSX */
export function readAttribute(
  sink: ReferenceCollector,
  element: Element,
  attribute: string,
  layer: EmbeddedSource,
): void {
  const role = roleOf(element, attribute);
  if (!role) return;
  const { text } = layer;
  const kind = element.inNoscript && role.form !== 'value' ? 'noscript' : role.kind;
  const reason: Reason | undefined = element.optimizes ? 'framework_optimizes' : undefined;
  const place = { kind, reason, image: element.image };
  if (role.form === 'srcset') readSrcset(sink, layer, place, role.named);
  else if (role.form === 'style') readCssText(sink, layer, { kind, reason, text: 'value' });
  else if (role.form === 'value') readValue(sink, layer, place);
  else if (!role.named || namesImage(text) || hasImageExtension(text.split(UNKNOWN).at(-1)!.trim()))
    sink.add(layer, role.named ? { ...place, encode: encodeImageName } : place);
}

const CRAWLED: ReadonlySet<CandidateKind> = new Set(rolesWithUse('crawled'));

/** The role of an attribute whose image is loaded by crawlers; undefined for all others. */
export function crawledRole(element: Element, attribute: string): CandidateKind | undefined {
  const kind = roleOf(element, attribute)?.kind;
  return kind !== undefined && CRAWLED.has(kind) ? kind : undefined;
}

/** Like `crawledRole`, for a property name in code or data: `ogImage`, `twitter:image`. */
export function crawledName(name: string): CandidateKind | undefined {
  const role = META_ROLES.get(name.toLowerCase());
  if (role) return role;
  const prefix = SOCIAL_NAME.exec(name)?.[1];
  if (prefix === undefined) return undefined;
  return /^tw/i.test(prefix) ? 'twitter_image' : 'og_image';
}

function roleOf(element: Element, attribute: string): AttributeRole | undefined {
  const { name } = element;
  switch (attribute) {
    case 'src':
      return sourceRole(element);
    case 'srcset':
      if (AMP.has(name)) return { kind: 'amp_img', form: 'srcset' };
      return { kind: name === 'source' ? 'picture_source' : 'img_srcset', form: 'srcset' };
    case 'imagesrcset':
      return { kind: 'link_preload', form: 'srcset' };
    case 'poster':
      return { kind: 'video_poster', form: 'address' };
    case 'data':
      return name === 'object' ? embedded(element) : undefined;
    case 'href':
    case 'xlink:href':
    case 'xlinkhref':
      return hrefRole(element);
    case 'content':
      return name === 'meta' ? metaRole(element) : undefined;
    case 'background':
      return BACKGROUNDS.has(name) ? { kind: 'legacy_background', form: 'address' } : { kind: 'string', form: 'value' };
    case 'style':
      return { kind: 'inline_style', form: 'style' };
  }
  if (SRCSET_ATTRIBUTES.has(attribute)) return { kind: 'lazy_attribute', form: 'srcset', named: true };
  if (LAZY.has(attribute)) return { kind: 'lazy_attribute', form: 'value' };
  if (TEXTS.has(attribute) || attribute.startsWith('aria-') || attribute.startsWith('on')) return undefined;
  return { kind: 'string', form: 'value' };
}

function sourceRole(element: Element): AttributeRole | undefined {
  switch (element.name) {
    case 'img':
      return { kind: 'img_src', form: 'address' };
    case 'amp-img':
    case 'amp-anim':
      return { kind: 'amp_img', form: 'address' };
    case 'input':
      return { kind: 'input_image', form: 'address', named: element.get('type')?.trim().toLowerCase() !== 'image' };
    case 'embed':
      return embedded(element);
    default:
      return { kind: element.optimizes ? 'img_src' : 'string', form: 'address', named: !element.optimizes };
  }
}

function embedded(element: Element): AttributeRole | undefined {
  const type = element.get('type')?.trim().toLowerCase();
  if (type !== undefined && !type.startsWith('image/')) return undefined;
  return { kind: 'object_data', form: 'address', named: type === undefined };
}

function hrefRole(element: Element): AttributeRole | undefined {
  if (element.name === 'image' || element.name === 'feimage') return { kind: 'svg_image', form: 'address' };
  if (element.name !== 'link') return { kind: 'linked_image', form: 'address', named: true };
  const relations = (element.get('rel') ?? '').trim().toLowerCase().split(/\s+/);
  if (relations.some((relation) => ICON_RELATIONS.has(relation))) return { kind: 'link_icon', form: 'address' };
  if (relations.includes('preload') && element.get('as')?.trim().toLowerCase() === 'image')
    return { kind: 'link_preload', form: 'address' };
  if (relations.includes('image_src') || hasImageProperty(element)) return { kind: 'og_image', form: 'address' };
  return { kind: 'string', form: 'address', named: true };
}

function metaRole(element: Element): AttributeRole {
  const named = (attribute: string) => META_ROLES.get(element.get(attribute)?.trim().toLowerCase() ?? '');
  const role = named('property') ?? named('name');
  if (role) return { kind: role, form: 'address' };
  if (hasImageProperty(element)) return { kind: 'og_image', form: 'address' };
  return { kind: 'string', form: 'value' };
}

const hasImageProperty = (element: Element): boolean =>
  element.get('itemprop')?.split(/\s+/).includes('image') ?? false;
