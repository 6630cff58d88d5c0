/** Reads the semantic layer, its files and their versions. */
import { type QueryClient, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type {
  CatalogReply,
  ChangedFile,
  EntityDetail,
  EntityList,
  FileVersion,
  FileVersionDetail,
  GlossaryList,
  MetricList,
} from '../../../../admin-semantic/index.ts';
import { call, send } from '../../api/client.ts';
import { ApiError, failureOf } from '../../api/failure.ts';
import { ADMIN_KEY } from '../../api/queries.ts';
import { contentOf, NEW_FILE, type StoredFile, storedFile } from './stored-file.ts';

export type EntitySummary = EntityList['entities'][number];
export type LayerProblem = EntityList['problems'][number];
export type { EntityDetail, FileVersion };

const BASE = '/api/v1/admin/semantic';

function answer<T>(path: string) {
  return queryOptions({
    queryKey: [ADMIN_KEY, 'semantic', path],
    queryFn: ({ signal }) => call<T>(BASE + path, { signal }),
  });
}

export const useEntities = (): UseQueryResult<EntityList> => useQuery(answer<EntityList>('/entities'));
export const useMetrics = (): UseQueryResult<MetricList> => useQuery(answer<MetricList>('/metrics'));
export const useGlossary = (): UseQueryResult<GlossaryList> => useQuery(answer<GlossaryList>('/glossary'));
export const useCatalog = (): UseQueryResult<CatalogReply> => useQuery(answer<CatalogReply>('/catalog'));

/** What no name in the address of an entity may hold. */
const NOT_A_NAME = /[\p{C}/\\:*?"<>|]|%[0-9a-f]{2}|\.\.|^[.~]/iu;

const stemOf = (file: string) => file.replace(/^.*\/|\.ya?ml$/gi, '');

/** By its name, else by that of its file. */
const entityAnswer = ({ name, file }: Pick<EntitySummary, 'name' | 'file'>) =>
  answer<EntityDetail>(`/entities/${encodeURIComponent(NOT_A_NAME.test(name) ? stemOf(file) : name)}`);

export const useEntity = (entity: EntitySummary): UseQueryResult<EntityDetail> => useQuery(entityAnswer(entity));

export async function columnsOf(client: QueryClient, entity: EntitySummary): Promise<readonly string[]> {
  const detail = await client.fetchQuery(entityAnswer(entity));
  return detail.entity?.dimensions?.map(({ name }) => name) ?? [];
}

const rawPath = (file: string) => `${BASE}/raw/${file.split('/').map(encodeURIComponent).join('/')}`;

export const fileAnswer = (file: string) =>
  queryOptions({
    queryKey: [ADMIN_KEY, 'semantic', 'file', file],
    queryFn: async ({ signal }): Promise<StoredFile> => {
      const response = await send(rawPath(file), { signal });
      if (!response.ok) throw await failureOf(response);
      const version = (response.headers.get('etag') ?? '').replaceAll('"', '');
      return storedFile(await response.text(), version);
    },
  });

export const useStoredFile = (file: string): UseQueryResult<StoredFile> => useQuery(fileAnswer(file));

/** The file as it is now, whatever has been read of it before. */
export const newestFile = (client: QueryClient, file: string): Promise<StoredFile> =>
  client
    .fetchQuery({ ...fileAnswer(file), staleTime: 0 })
    .catch((error) => (isMissing(error) ? NEW_FILE : Promise.reject(error)));

async function change(path: string, method: 'PUT' | 'POST', body: unknown, over: StoredFile): Promise<ChangedFile> {
  const expected = over.version === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${over.version}"` };
  const headers = { ...expected, 'content-type': 'application/json' };
  const response = await send(path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as ChangedFile;
}

/** Throws `ApiError`: 422 with what is wrong, 409 where the file is not the version of `over` any more. */
export async function saveFile(file: string, text: string, over: StoredFile): Promise<StoredFile> {
  const content = contentOf(text, over);
  const { version } = await change(rawPath(file), 'PUT', { content }, over);
  return storedFile(content, version);
}

/** Whether the error of a file says that there is none. */
export const isMissing = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

/** Whether somebody else has changed what was to be changed. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 'conflict';

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

export const deletion = (file: string, version: string) =>
  ({ path: `${rawPath(file)}?version=${version}`, method: 'DELETE' }) as const;

interface VersionPage {
  readonly versions: readonly FileVersion[];
  readonly total: number;
}

const MAX_VERSIONS = 50;
const MAX_LATEST = 5;

export const useVersions = (file: string): UseQueryResult<VersionPage> =>
  useQuery(answer<VersionPage>(`/versions?limit=${MAX_VERSIONS}&file=${encodeURIComponent(file)}`));

/** The latest versions of all files. */
export const useLatestVersions = (): UseQueryResult<VersionPage> =>
  useQuery(answer<VersionPage>(`/versions?limit=${MAX_LATEST}`));

/** Whether the layer cannot be changed here: `error` is that of its versions. */
export const isReadOnly = (error: Error | null): boolean =>
  error instanceof ApiError && (error.code === 'not_available' || error.code === 'not_found');

/** The version with its content. */
export const useVersion = (id: string): UseQueryResult<FileVersionDetail> =>
  useQuery(answer<FileVersionDetail>(`/versions/${id}`));

/** Throws `ApiError` like `saveFile`. */
export const restoreVersion = (id: string, over: StoredFile): Promise<ChangedFile> =>
  change(`${BASE}/versions/${id}/restore`, 'POST', {}, over);
