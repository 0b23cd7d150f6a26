/** Lists objects, and uploads in parts that were never completed. */
import type { S3Client } from './client.ts';
import { elementsOf } from './xml.ts';

export interface ListedObject {
  key: string;
  bytes: number;
  /** When it was stored, or its upload began, in milliseconds. */
  storedAt: number;
}

/** Lists the objects whose key begins with `prefix`, a thousand at a time. */
export async function* listObjects(client: S3Client, prefix: string): AsyncGenerator<ListedObject> {
  const { prefix: own } = client.settings;
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      prefix: own + prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const { text } = await client.send({ method: 'GET', query });
    for (const { Key = '', Size, LastModified = '' } of elementsOf(text, 'Contents'))
      yield { key: Key.slice(own.length), bytes: Number(Size), storedAt: Date.parse(LastModified) };
    const [page] = elementsOf(text, 'ListBucketResult');
    token = page?.IsTruncated === 'true' ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

export interface ListedUpload {
  key: string;
  id: string;
  /** In milliseconds. */
  startedAt: number;
}

/** Lists the uploads in parts that are neither completed nor aborted, of keys that begin with `prefix`. */
export async function* listUploads(client: S3Client, prefix: string): AsyncGenerator<ListedUpload> {
  const { prefix: own } = client.settings;
  let after: Record<string, string> | undefined = {};
  while (after) {
    const { text } = await client.send({ method: 'GET', query: { uploads: '', prefix: own + prefix, ...after } });
    for (const { Key = '', UploadId = '', Initiated = '' } of elementsOf(text, 'Upload'))
      yield { key: Key.slice(own.length), id: UploadId, startedAt: Date.parse(Initiated) };
    const [page] = elementsOf(text, 'ListMultipartUploadsResult');
    after =
      page?.IsTruncated === 'true'
        ? { 'key-marker': page.NextKeyMarker ?? '', 'upload-id-marker': page.NextUploadIdMarker ?? '' }
        : undefined;
  }
}
