import type { ScanStatus, SiteProject } from '../types.ts';

/**
 * Returns the projects with the scans that match. Projects without a filterProjects scan are omitted.
 * @param text part of the domain or of a name, case-insensitive
 */
export function filterProjects(projects: readonly SiteProject[], text: string, status: ScanStatus | ''): SiteProject[] {
  const wanted = text.trim().toLowerCase();
  const hasText = (name: string | null) => name?.toLowerCase().includes(wanted) ?? false;
  return projects.flatMap((project) => {
    const isWhole = hasText(project.domain) || hasText(project.name);
    const scans = project.scans.filter(
      (scan) => (isWhole || hasText(scan.name)) && (!status || scan.status === status),
    );
    return scans.length > 0 ? [{ ...project, scans }] : [];
  });
}
