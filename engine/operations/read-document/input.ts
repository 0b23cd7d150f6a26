/** The inputs of the tasks that read documents of websites. */
import type { DocumentKind } from '../../../web-documents/reading.ts';
import type { SourceFile } from '../../source-file.ts';

export interface DocumentInput {
  /** Without content coding. */
  document: SourceFile;
  params: {
    kind: DocumentKind;
    /** The absolute address after redirects. */
    url: string;
    /** The header, with its charset. */
    contentType: string | undefined;
  };
}

export interface SitemapInput {
  /** May be compressed with gzip. */
  document: SourceFile;
  params: { url: string };
}
