/** Returns the extension of a file name in lower case without the dot, or '' if there is none. */
export const extensionOf = (filename = ''): string => /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
