/** Reads elements with raw text: style sheets, scripts, and data in `script` elements. */
import { findJsonLdImages } from '../../web-documents/json-ld.ts';
import { readCssText } from './css.ts';
import type { Element } from './element.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { jsonString, withoutSpaces } from './escapes.ts';
import { encodeImageName } from './image-name.ts';
import { readJsonText } from './json.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readScript } from './script.ts';
import type { ScriptLanguage } from './script-syntax.ts';

/** Reads `style` and `script` elements and ignores others. @param layer the content */
export function readTextElement(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  { name, get }: Pick<Element, 'name' | 'get'>,
): void {
  const language = get('lang')?.trim().toLowerCase();
  if (name === 'style') {
    const lineComments = language !== undefined && language !== 'css' && language !== 'postcss';
    readCssText(sink, layer, { kind: 'style_block', text: 'sheet', lineComments });
  } else if (name === 'script') readScriptElement(sink, layer, mediaType(get('type')), language);
}

function readScriptElement(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  type: string | undefined,
  language: string | undefined,
): void {
  if (type === 'application/ld+json') {
    for (const image of findJsonLdImages(layer.text))
      sink.add(layer, { kind: 'json_ld', address: image.value.trim(), encode: jsonLdAddress }, image);
  } else if (type?.endsWith('json') || type === 'importmap') readJsonText(sink, layer);
  else if (type?.includes('template') || type === 'text/html' || type?.includes('handlebars')) sink.markup(layer);
  else readScript(sink, layer, SCRIPT_LANGUAGES[language ?? ''] ?? (type?.includes('typescript') ? 'ts' : 'js'));
}

/** Encodes spaces, since a text with spaces would be read as a name or a description. */
const jsonLdAddress = (address: string): string => jsonString(withoutSpaces(encodeImageName(address)));

/** The media type without parameters; undefined if it is not given. */
const mediaType = (type = ''): string | undefined => type.split(';', 1)[0]!.trim().toLowerCase() || undefined;

const SCRIPT_LANGUAGES: Readonly<Record<string, ScriptLanguage>> = {
  ts: 'ts',
  typescript: 'ts',
  tsx: 'tsx',
  jsx: 'js',
};
