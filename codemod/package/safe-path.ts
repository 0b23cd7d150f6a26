/** Checks that names from untrusted packages are safe to write on any system (docs/spec/shapes.md, section 17.8). */

const MAX_PATH_LENGTH = 200;

/** Characters with a special meaning in some file system, and invisible characters. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/]/u;
/** Device names of Windows, which are reserved with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin|conout)(?:\.|$)/i;

/** Whether a name is safe for a file or folder. */
export const isSafeName = (name: string): boolean =>
  name !== '' && !/^\.{1,2}$|[. ]$/.test(name) && !UNSAFE.test(name) && !RESERVED.test(name);

/** Whether a relative path stays in its folder: no `..`, not absolute, at most 200 characters. */
export const isSafePath = (path: string): boolean =>
  path.length <= MAX_PATH_LENGTH && path.split('/').every(isSafeName);
