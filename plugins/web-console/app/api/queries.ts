/** Reads what the pages show, and keeps it fresh. */
import { QueryClient, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { PromptCollectionWithItems } from '../../../admin-prompts/index.ts';
import type { ConversationDetail, ConversationPage } from '../../../conversations/index.ts';
import type { Me } from '../../../me/index.ts';
import { call } from './client.ts';
import { ApiError } from './failure.ts';
import { connectionIds, HEALTH } from './health.ts';

export type { ConversationInfo } from '../../../conversations/index.ts';
export type { Me };

export type StoredMessage = ConversationDetail['messages'][number];

/** A refusal stays one; what was busy or out of reach is asked once more. */
const isWorthRetrying = (failures: number, error: Error) =>
  failures < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 30_000, refetchOnWindowFocus: false } },
  });
}

export const ME = queryOptions({ queryKey: ['me'], queryFn: ({ signal }) => call<Me>('/api/v1/me', { signal }) });

export const useMe = (): UseQueryResult<Me> => useQuery(ME);

/** Whether this server has the area for its reader; `false` until it has said so. */
export const useHasArea = (area: string): boolean => useMe().data?.areas.includes(area) === true;

interface Prompts {
  readonly collections: readonly PromptCollectionWithItems[];
}

/** The first questions of the collections, at most `count`, none twice. */
export function useSuggestions(count: number): readonly string[] {
  const { data } = useQuery({
    queryKey: ['prompts'],
    queryFn: ({ signal }) => call<Prompts>('/api/v1/prompts?limit=5', { signal }),
  });
  const questions = data?.collections.flatMap(({ items }) => items.map(({ question }) => question)) ?? [];
  return [...new Set(questions)].slice(0, count);
}

/** Ids of the connections that can be asked, the main one first. */
export const useConnections = (): readonly string[] => connectionIds(useQuery(HEALTH).data);

/** Everything that the administration shows is read anew after a change. */
export const ADMIN_KEY = 'admin';

const PENDING_MS = 60_000;

/** How many actions wait for the approval of this reader. */
export function usePendingApprovals(): number {
  const { data } = useQuery({
    queryKey: [ADMIN_KEY, 'pending'],
    queryFn: ({ signal }) => call<{ readonly total: number }>('/api/v1/admin/actions?limit=1', { signal }),
    refetchInterval: PENDING_MS,
  });
  return data?.total ?? 0;
}

const CONVERSATIONS = 'conversations';

export function useConversations(search: string, limit: number): UseQueryResult<ConversationPage> {
  const isOffered = useHasArea('history');
  return useQuery({
    queryKey: [CONVERSATIONS, search, limit],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ limit: String(limit), ...(search !== '' && { search }) });
      return call<ConversationPage>(`/api/v1/conversations?${query}`, { signal });
    },
    enabled: isOffered,
    placeholderData: (before) => before,
  });
}

export function useConversation(id: string, isOffered: boolean): UseQueryResult<ConversationDetail> {
  return useQuery({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) => call<ConversationDetail>(`/api/v1/conversations/${encodeURIComponent(id)}`, { signal }),
    enabled: isOffered,
    // The chat itself knows better from then on.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** After something was asked, renamed, starred or deleted. */
export function refreshConversations(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [CONVERSATIONS] });
}
