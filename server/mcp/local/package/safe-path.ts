/** Names that may be written on any system, whoever has made them up (spec/shapes.md, section 17.8). */

const LONGEST_PATH = 200;

/** Characters that a file system may take for something else, and those that cannot be seen. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/]/u;
/** Names of devices of Windows, whatever their extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin|conout)(?:\.|$)/i;

/** The name of a file or folder that stays in its folder. */
export function isSafeName(name: string): boolean {
  return name !== '' && !/^\.{1,2}$|[. ]$/.test(name) && !UNSAFE.test(name) && !RESERVED.test(name);
}

/** A relative path that stays below where it begins: no `..`, nothing absolute, at most 200 characters. */
export function isSafePath(path: string): boolean {
  return path.length <= LONGEST_PATH && path.split('/').every(isSafeName);
}
