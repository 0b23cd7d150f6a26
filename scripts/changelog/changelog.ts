/** The form of CHANGELOG.md: https://keepachangelog.com/en/1.1.0/. */

export interface ChangelogSection {
  /** Undefined for what is not released. */
  version: string | undefined;
  /** `YYYY-MM-DD`. */
  date: string | undefined;
  /** Without the heading, trimmed. */
  text: string;
}

const HEADING = /^## \[(?<version>Unreleased|\d+\.\d+\.\d+(?:-[\w.]+)?)\](?: - (?<date>\d{4}-\d{2}-\d{2}))?$/gm;
const UNRELEASED = '## [Unreleased]\n';
/** The addresses of the headings, at the end. */
const LINKS = /\n*(?:^\[[\w.-]+\]: \S+\n*)+$/m;

export function sectionsOf(changelog: string): ChangelogSection[] {
  const body = changelog.replace(LINKS, '\n');
  const headings = [...body.matchAll(HEADING)];
  return headings.map(({ index, 0: heading, groups }, position) => ({
    version: groups!.version === 'Unreleased' ? undefined : groups!.version,
    date: groups!.date,
    text: body.slice(index + heading.length, headings[position + 1]?.index).trim(),
  }));
}

/**
 * The text of a released version.
 * @throws Error if the changelog has none, or says nothing about it
 */
export function notesOf(changelog: string, version: string): string {
  const section = sectionsOf(changelog).find((one) => one.version === version);
  if (!section?.text) throw new Error(`Expected a section for ${version} in CHANGELOG.md but received nothing.`);
  return section.text;
}

export interface Release {
  version: string;
  /** `YYYY-MM-DD`. */
  date: string;
  /** Address of the repository, which shows the changes between two tags. */
  repository: string;
}

/**
 * Turns what is unreleased into the section of a version, with a new empty one above it.
 * @throws Error if nothing is unreleased, or the version has a section
 */
export function released(changelog: string, { version, date, repository }: Release): string {
  const sections = sectionsOf(changelog);
  if (!sections.find((one) => one.version === undefined)?.text)
    throw new Error('Expected changes under Unreleased in CHANGELOG.md but received nothing.');
  if (sections.some((one) => one.version === version))
    throw new Error(`Expected a new version but received ${version}, which CHANGELOG.md has.`);
  const versions = [version, ...sections.flatMap((one) => one.version ?? [])];
  const links = versions.map((one, index) => {
    const before = versions[index + 1];
    return `[${one}]: ${repository}/${before ? `compare/v${before}...v${one}` : `releases/tag/v${one}`}`;
  });
  const body = changelog.replace(LINKS, '\n').replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
  return `${body.trimEnd()}\n\n[Unreleased]: ${repository}/compare/v${version}...HEAD\n${links.join('\n')}\n`;
}
