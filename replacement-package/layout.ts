/** The version of a replacement package and the names of its parts. */

/** Within one version, fields are only added. */
export const CONTRACT_VERSION = 1;
/** The replacement map. */
export const MAPPING_FILE = 'mapping.json';
/** Folder of the package that contains the new files. */
export const FILES_FOLDER = 'files';
