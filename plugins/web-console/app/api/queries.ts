/** Reads what the pages show, and keeps it fresh. */
import { QueryClient, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from './client.ts';
import { ApiError } from './failure.ts';

/** Who asks, and what this server offers them. */
export interface Me {
  readonly user: { readonly id: string; readonly email: string | null; readonly name: string | null } | null;
  readonly role: string;
  readonly rights: readonly string[];
  readonly orgId: string | null;
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  readonly mode: string;
  readonly areas: readonly string[];
  /** `null` where no model can answer. */
  readonly model: { readonly provider: string; readonly modelId: string; readonly isOffline: boolean } | null;
  readonly version: string;
}

export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly starred: boolean;
  readonly updatedAt: string;
}

export interface StoredMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: { readonly parts: readonly { readonly type: string; readonly [key: string]: unknown }[] };
  readonly status: 'complete' | 'running' | 'interrupted';
  readonly feedback?: { readonly rating: 'good' | 'bad'; readonly reason: string | null } | null;
}

export interface Conversation extends ConversationSummary {
  readonly connectionId: string | null;
  readonly messages: readonly StoredMessage[];
  readonly total: number;
}

export interface ConversationList {
  readonly conversations: readonly ConversationSummary[];
  readonly total: number;
}

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

interface Prompts {
  readonly collections: readonly { readonly items: readonly { readonly question: string }[] }[];
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
export function useConnections(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['connections'],
    queryFn: ({ signal }) => call<{ sources?: Readonly<Record<string, unknown>> }>('/api/health', { signal }),
  });
  return Object.keys(data?.sources ?? {});
}

/** Everything that the administration shows is read anew after a change. */
export const ADMIN_KEY = 'admin';

const PENDING_MS = 60_000;

/** How many actions wait for the approval of this reader. */
export function usePendingApprovals(isOffered: boolean): number {
  const { data } = useQuery({
    queryKey: [ADMIN_KEY, 'pending'],
    queryFn: ({ signal }) => call<{ readonly total: number }>('/api/v1/admin/actions?limit=1', { signal }),
    enabled: isOffered,
    refetchInterval: PENDING_MS,
  });
  return data?.total ?? 0;
}

const CONVERSATIONS = 'conversations';

export function useConversations(search: string, limit: number, isOffered = true): UseQueryResult<ConversationList> {
  return useQuery({
    queryKey: [CONVERSATIONS, search, limit],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ limit: String(limit), ...(search !== '' && { search }) });
      return call<ConversationList>(`/api/v1/conversations?${query}`, { signal });
    },
    enabled: isOffered,
    placeholderData: (before) => before,
  });
}

export function useConversation(id: string, isOffered: boolean): UseQueryResult<Conversation> {
  return useQuery({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) => call<Conversation>(`/api/v1/conversations/${encodeURIComponent(id)}`, { signal }),
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
