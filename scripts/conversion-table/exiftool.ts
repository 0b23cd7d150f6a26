/** Reads the tags of a file with ExifTool. */
import { runProgram } from '../format-table/run-program.ts';

/** By group and name, such as `IFD0:Make`. Numbers are not converted to words. */
export type Tags = Readonly<Record<string, string | number>>;

/** Returns no tags for a format that ExifTool does not know. @throws Error if it is not installed or fails */
export async function readTags(file: string): Promise<Tags> {
  const { stdout } = await runProgram('exiftool', ['-json', '-n', '-G1', '-a', file]).catch((error: Error) => {
    const { stdout } = (error.cause ?? {}) as { stdout?: Buffer };
    if (stdout?.includes('Unknown file type')) return { stdout };
    throw error;
  });
  return (JSON.parse(stdout.toString('utf8')) as [Tags])[0];
}

/** The first number of a tag: of `8 8 8`, 8. undefined if the file has no such tag. */
export function numberOf(tags: Tags, ...names: readonly string[]): number | undefined {
  const value = names.map((name) => tags[name]).find((value) => value !== undefined);
  return value === undefined ? undefined : Number.parseInt(String(value), 10);
}
