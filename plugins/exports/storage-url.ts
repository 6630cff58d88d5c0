/** Chooses the place for files by its URL. */
import { resolve } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';
import { folderStorage } from './folder-storage.ts';
import type { ExportsOptions } from './options.ts';
import { bucketOf, s3Storage } from './s3-storage.ts';
import type { Storage } from './storage.ts';

/** Throws `configuration_error` for a URL of another kind. */
export function storageOf({ url, workDir }: Pick<ExportsOptions, 'url' | 'workDir'>, cwd: string): Storage {
  const [, folder] = /^file:(?:\/\/(?=\/))?(.+)$/.exec(url) ?? [];
  if (folder !== undefined) return folderStorage(resolve(cwd, folder));
  if (url.startsWith('s3://')) return s3Storage(bucketOf(url), resolve(cwd, workDir ?? '.atlas/exports'));
  throw new AtlasError('The place for exports is invalid: expected "file:PATH" or "s3://BUCKET/PREFIX".', {
    code: 'configuration_error',
    hint: 'Correct SVC_EXPORT_URL.',
  });
}
