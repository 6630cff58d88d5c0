/** Reads the health report: how the parts are, which connections there are, and how people sign in. */
import { queryOptions } from '@tanstack/react-query';
import type { HealthReport } from '../../../health/index.ts';
import { call } from './client.ts';

type Component = HealthReport['components'][string] & { readonly message?: string };

interface Authentication extends Component {
  readonly mode?: string;
  readonly signUp?: boolean;
  readonly socialProviders?: readonly string[];
}

/** Parts add what they want to say. A proxy in front may answer anything. */
export interface Health {
  readonly sources?: HealthReport['sources'];
  readonly components?: Readonly<Record<string, Component>> & { readonly auth?: Authentication };
}

export const HEALTH_PATH = '/api/health';

export const HEALTH = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => call<Health>(HEALTH_PATH, { signal }),
});

/** Ids of the connections that can be asked, the main one first. */
export const connectionIds = (health: Health | undefined): readonly string[] => Object.keys(health?.sources ?? {});
