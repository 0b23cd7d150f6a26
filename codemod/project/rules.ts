/** Decides by name which files and folders of a project are read (docs/spec/shapes.md, section 18.4, safety 2). */
import { posix } from 'node:path';
import { extensionOf } from '../../codecs/file-extension.ts';
import { IMAGE_EXTENSIONS } from '../../web-documents/address.ts';
import { isReadable } from '../readers/read.ts';
import type { EditReason, SkipReason } from './project-file.ts';

/** Names are compared in lower case, since some file systems ignore case. */
const EXCLUDED = new Set(['.git', 'node_modules', 'vendor', '.ic']);
const BUILT = new Set(['dist', 'build', 'out', '.next', '.nuxt', '.svelte-kit', '.astro', '.output', '_site']);
const BUILT_PATHS = ['public/build'];

/** Why a folder is skipped; undefined if it is not. */
export function skipFolder(path: string): SkipReason | undefined {
  const name = posix.basename(path).toLowerCase();
  if (EXCLUDED.has(name)) return 'excluded';
  const lower = path.toLowerCase();
  if (BUILT.has(name) || BUILT_PATHS.some((built) => lower === built || lower.endsWith(`/${built}`))) return 'built';
  return undefined;
}

const LOCK_FILES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'bun.lockb',
  'go.sum',
  'packages.lock.json',
  'project.assets.json',
]);
const LOCK = /\.lock$|-lock\.(?:json|ya?ml)$/;
const SECRET =
  /^\.env|^id_(?:rsa|dsa|ecdsa|ed25519)|^\.(?:npmrc|netrc|pypirc|htpasswd)$|\.(?:pem|key|p12|pfx|pk8|jks|keystore|ppk|kdbx|gpg)$/;
const MINIFIED = /[.-]min\.[a-z]+$/;

/** Why a file is skipped because of its name. */
export function skipName(path: string): SkipReason | undefined {
  const name = posix.basename(path).toLowerCase();
  if (SECRET.test(name)) return 'secret';
  if (LOCK_FILES.has(name) || LOCK.test(name)) return 'lock_file';
  if (MINIFIED.test(name) && !isImageName(name)) return 'minified';
  return undefined;
}

export const isImageName = (path: string): boolean => IMAGE_EXTENSIONS.has(extensionOf(posix.basename(path)));

export const isSourceName = (path: string): boolean => isReadable(path);

const MAX_LINE_LENGTH = 5000;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/;

/** Why a source is skipped because of its text. */
export function skipText(text: string): SkipReason | undefined {
  if (text.includes('\0')) return 'binary';
  if (PRIVATE_KEY.test(text)) return 'secret';
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    if (end - start > MAX_LINE_LENGTH && hasLongLine(text.slice(start, end))) return 'minified';
    start = end + 1;
  }
  return undefined;
}

/** Carriage returns alone also end lines. */
const hasLongLine = (text: string): boolean => text.split('\r').some((line) => line.length > MAX_LINE_LENGTH);

const TEST_FOLDERS = new Set([
  ...['test', 'tests', '__tests__', 'spec', 'specs', '__mocks__', '__snapshots__', '__fixtures__', 'fixtures', 'e2e'],
  ...['cypress', 'playwright', '.storybook', 'stories', '__stories__'],
]);
const TEST_NAME = /[._-](?:test|tests|spec|stories|story|cy)\.[a-z]+$|^test_[^/]*\.py$/;
const MAIL_FOLDERS = new Set([
  ...['email', 'emails', 'mail', 'mails', 'mailer', 'mailers', 'mailings', 'newsletter', 'newsletters', 'mjml'],
  ...['email-templates', 'email_templates', 'mail-templates'],
]);
const MAIL_NAME = /(?:^|[._-])(?:e-?mail|newsletter)(?:[._-]|$)|\.mjml$/;
/** Conditional comments for Outlook. */
const MAIL_TEXT = /<!--\[if (?:gte )?mso\b/i;
const GENERATED = /@generated\b|\bDO NOT (?:EDIT|MODIFY)\b|auto-?(?:matically )?generated\b/i;
const HEAD_CHARACTERS = 1000;

/** Why a source is not edited unless it is included explicitly. */
export function editReason(path: string, text: string): EditReason | undefined {
  const segments = path.toLowerCase().split('/');
  const name = segments.pop()!;
  if (TEST_NAME.test(name) || segments.some((segment) => TEST_FOLDERS.has(segment))) return 'test_or_story';
  if (MAIL_NAME.test(name) || segments.some((segment) => MAIL_FOLDERS.has(segment)) || MAIL_TEXT.test(text))
    return 'email_template';
  if (GENERATED.test(text.slice(0, HEAD_CHARACTERS))) return 'generated';
  return undefined;
}
