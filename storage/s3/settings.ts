/** Where the files are: a folder of a bucket, and who may use it. */
import { Failure } from '../../base/failure.ts';

/** The settings of the service that belong to the store. */
export interface S3Config {
  storageUrl: string;
  s3Endpoint: string | undefined;
  s3Region: string;
  s3PathStyle: boolean | undefined;
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  sessionToken: string | undefined;
}

export interface S3Settings {
  /** The bucket, without a slash at the end. */
  bucketUrl: string;
  bucket: string;
  /** What all keys begin with: empty, or with a slash at the end. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

/** @throws Failure `invalid_parameter` without credentials */
export function s3Settings(config: S3Config): S3Settings {
  const { storageUrl, s3Region: region, accessKeyId, secretAccessKey, sessionToken } = config;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Failure(
      'invalid_parameter',
      `Expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY beside IC_STORAGE_URL but ${accessKeyId === undefined ? 'the first' : 'the second'} is not set.`,
    );
  const [bucket, ...folders] = storageUrl.slice('s3://'.length).split('/');
  const prefix = folders.map((folder) => `${folder}/`).join('');
  const bucketUrl = bucketAddress(bucket!, config);
  return { bucketUrl, bucket: bucket!, prefix, region, accessKeyId, secretAccessKey, sessionToken };
}

/** Stores of others seldom have a host for each bucket, so a given endpoint gets the bucket in its path. */
function bucketAddress(bucket: string, { s3Endpoint, s3Region, s3PathStyle }: S3Config): string {
  const endpoint = s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`;
  if (s3PathStyle ?? s3Endpoint !== undefined) return `${endpoint}/${bucket}`;
  const url = new URL(endpoint);
  return `${url.protocol}//${bucket}.${url.host}${url.pathname.replace(/\/$/, '')}`;
}
