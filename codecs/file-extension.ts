/** Returns the extension of a file name in lower case without the dot, or '' if there is none. */
export function extensionOf(filename = ''): string {
  return /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}
