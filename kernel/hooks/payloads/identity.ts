/** Types credentials, identity and access. */
import type { Actor, Right } from '../../scope.ts';

/** What a request carries for authentication. Header names are lower-case. */
export interface Credentials {
  readonly method: string;
  /** The path of the route that was asked for, with its `:name` parameters. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly ip: string;
}

export interface Identity {
  readonly actor: Actor;
  readonly orgId: string | null;
  /** Headers for the response, such as the cookie of a renewed session. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface Access {
  readonly right: Right;
  /** What is to be done, for messages: `GET /api/v1/actions`; and to whose data, as in `Route.organizationData`. */
  readonly operation: string;
  readonly organizationData?: string | undefined;
  /** The client's address; missing where no client asks over the network, such as for a scheduled question. */
  readonly ip?: string;
}
