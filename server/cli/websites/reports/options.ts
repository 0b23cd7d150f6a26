/** The options of reports for other programs. Loaded with the command line, so that nothing of the service is loaded with it. */
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
