/** The pages of the documentation, in reading order. */
import { OPERATIONS } from '../../engine/operations/registry.ts';

export interface Section {
  title: string;
  /** Names of pages: guides, or pages generated from the declarations. */
  pages: readonly string[];
  /**
   * The example address of the service is not replaced in these pages, because their configuration files contain
   * addresses of their own.
   */
  keepsAddresses?: true;
}

export const FIRST_PAGE = 'start';

export const SECTIONS: readonly Section[] = [
  { title: 'Start', pages: [FIRST_PAGE, 'requests'] },
  {
    title: 'Operations',
    pages: [...OPERATIONS.map(({ name }) => name), 'pipeline', 'image-delivery'],
  },
  { title: 'Many images', pages: ['jobs', 'webhooks', 'websites'] },
  { title: 'Tools', pages: ['client', 'library', 'command-line', 'build-plugins', 'mcp'] },
  {
    title: 'Look it up',
    pages: ['errors', 'limits', 'retries', 'formats', 'conversions', 'high-dynamic-range', 'models', 'package'],
  },
  { title: 'Operate', pages: ['operating', 'reverse-proxy', 's3', 'postgresql'], keepsAddresses: true },
  {
    title: 'Reference',
    pages: [
      'reference',
      ...['images', 'pipelines', 'files', 'delivery', 'jobs', 'websites', 'account', 'admin', 'service', 'schemas'].map(
        (tag) => `reference-${tag}`,
      ),
    ],
  },
];
