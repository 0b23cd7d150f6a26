/** The settings of stored files. */
import { boolean, bucketFolder, bytes, declare, optional, text, webFolder } from './setting-types.ts';

const GIB = 2 ** 30;

export const STORAGE_SETTINGS = {
  storageBytes: declare({
    ...bytes(0, 1024 * 1024 * GIB),
    env: 'IC_STORAGE_BYTES',
    default: 10 * GIB,
    meaning: 'Bytes of all stored results, and of the uploads that jobs have still to work on.',
  }),
  storageUrl: declare({
    ...optional(bucketFolder),
    env: 'IC_STORAGE_URL',
    default: undefined,
    defaultText: 'folders in IC_DATA_DIR',
    meaning: 'Folder of a bucket of S3, or of a store like it, that holds the files instead.',
  }),
  storageRedirects: declare({
    ...boolean,
    env: 'IC_STORAGE_REDIRECTS',
    default: false,
    meaning: 'Whether downloads of stored results are redirected to IC_STORAGE_URL.',
  }),
  s3Endpoint: declare({
    ...optional(webFolder('https://s3.example.com')),
    env: 'IC_S3_ENDPOINT',
    default: undefined,
    defaultText: 'that of AWS in IC_S3_REGION',
    meaning: 'Address of the store of IC_STORAGE_URL.',
  }),
  s3Region: declare({
    ...text,
    env: 'IC_S3_REGION',
    default: 'us-east-1',
    meaning: 'Region of the bucket.',
  }),
  s3PathStyle: declare({
    ...optional(boolean),
    env: 'IC_S3_PATH_STYLE',
    default: undefined,
    defaultText: 'true with IC_S3_ENDPOINT',
    meaning: 'Whether the bucket is in the path of addresses, not in their host.',
  }),
  accessKeyId: declare({
    ...optional(text),
    env: 'AWS_ACCESS_KEY_ID',
    default: undefined,
    meaning: 'Key of the bucket.',
    secret: true,
  }),
  secretAccessKey: declare({
    ...optional(text),
    env: 'AWS_SECRET_ACCESS_KEY',
    default: undefined,
    meaning: 'Secret of that key.',
    secret: true,
  }),
  sessionToken: declare({
    ...optional(text),
    env: 'AWS_SESSION_TOKEN',
    default: undefined,
    meaning: 'Token of a key that is valid for some time only.',
    secret: true,
  }),
};
