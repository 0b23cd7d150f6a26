/** Options for reports to other programs. This module is loaded with the command line and must not load the service. */
import { Option } from 'commander';

export interface ReportOptions {
  junit?: string;
  sarif?: string;
  markdown?: string;
  github?: true;
}

export const reportOptions = [
  new Option('--junit <file>', 'write checks and findings as JUnit XML'),
  new Option('--sarif <file>', 'write findings as SARIF 2.1.0, for code scanning'),
  new Option('--markdown <file>', 'write a summary in Markdown, for a comment or the summary of a build'),
  new Option('--github', 'print findings as annotations of GitHub Actions').conflicts('json'),
];
