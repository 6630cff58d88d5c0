/** Keeps files in a bucket of S3, or of a storage that speaks its protocol, with the official client. */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { AtlasError } from '../../kernel/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { OWN_NAME, removeOldFiles } from './folder-storage.ts';
import { notThere } from './missing-file.ts';
import type { Storage } from './storage.ts';

export interface Bucket {
  readonly bucket: string;
  /** Ends in a slash, or is empty. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

/** Throws `configuration_error` for a URL that names no bucket. */
export function bucketOf(text: string): Bucket {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const endpoint = url?.searchParams.get('endpoint') ?? undefined;
  const isRight =
    url !== undefined &&
    url.hostname !== '' &&
    url.username === '' &&
    (endpoint === undefined || URL.canParse(endpoint));
  if (!isRight) {
    throw new AtlasError(
      'The bucket for exports is invalid: expected "s3://BUCKET/PREFIX?endpoint=https://…&region=…".',
      {
        code: 'configuration_error',
        hint: 'Correct SVC_EXPORT_URL; keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
      },
    );
  }
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  const region = url.searchParams.get('region') ?? undefined;
  return { bucket: url.hostname, prefix: path === '' ? '' : `${path}/`, endpoint, region };
}

/** Parts of this size go out at a time, one after the other; S3 takes 10,000 of them for a file. */
const PART_BYTES = 16 * 1024 * 1024;

export function s3Storage({ bucket, prefix, endpoint, region }: Bucket, workDir: string): Storage {
  let made: Promise<{ client: S3Client; s3: typeof import('@aws-sdk/client-s3') }> | undefined;
  // Loaded with the first file: it is large.
  const load = async () => {
    const s3 = await import('@aws-sdk/client-s3');
    const at = endpoint === undefined ? {} : { endpoint, forcePathStyle: true };
    return { s3, client: new s3.S3Client({ ...at, region: region ?? process.env.AWS_REGION ?? 'us-east-1' }) };
  };
  const use = () => {
    made ??= load();
    return made;
  };
  const failed = (error: unknown): never => {
    throw new AtlasError('The storage for exports cannot be reached, or refuses the server.', {
      code: 'unavailable',
      reason: 'E_EXPORT_STORAGE',
      hint: 'Ask an administrator to look at the log, and at SVC_EXPORT_URL.',
      cause: error,
    });
  };
  const remove = async (name: string) => {
    const { client, s3 } = await use();
    await client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: prefix + name })).catch(failed);
  };
  return {
    workDir,
    require: () => requirePackages(['@aws-sdk/client-s3', '@aws-sdk/lib-storage'], import.meta.url),
    async keep(path, name, signal) {
      const { client } = await use();
      const { Upload } = await import('@aws-sdk/lib-storage');
      const upload = new Upload({
        client,
        params: { Bucket: bucket, Key: prefix + name, Body: createReadStream(path) },
        partSize: PART_BYTES,
        queueSize: 1,
      });
      const abort = () => void upload.abort();
      signal.addEventListener('abort', abort, { once: true });
      // What was sent of a file that breaks off is deleted by the client.
      await upload
        .done()
        .catch(failed)
        .finally(() => signal.removeEventListener('abort', abort));
      await rm(path, { force: true });
    },
    async read(name) {
      const { client, s3 } = await use();
      const found = await client
        .send(new s3.GetObjectCommand({ Bucket: bucket, Key: prefix + name }))
        .catch((error: unknown) => (error instanceof s3.NoSuchKey ? undefined : failed(error)));
      if (found?.Body === undefined) throw notThere();
      return found.Body as unknown as AsyncIterable<Uint8Array>;
    },
    remove,
    async removeOlderThan(time) {
      await removeOldFiles(workDir, time);
      const { client, s3 } = await use();
      const pages = s3.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix });
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', LastModified } of Contents) {
          const name = Key.slice(prefix.length);
          if (OWN_NAME.test(name) && LastModified !== undefined && LastModified.getTime() < time) await remove(name);
        }
      }
    },
  };
}
