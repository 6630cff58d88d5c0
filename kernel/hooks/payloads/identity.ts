/** Who asks, and with which right. */
import type { Actor } from '../../scope.ts';

/** What a request carried that may say who asks. Header names are lower-case. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly ip: string;
}

export interface Identity {
  readonly actor: Actor;
  readonly orgId: string | null;
}

/** `public` needs no identity; the others are checked by `auth.authorize`. */
export type Right = 'public' | 'query' | 'approve' | 'admin' | 'self';

export interface Access {
  readonly right: Right;
  /** What is to be done, for messages: `GET /api/v1/actions`. */
  readonly operation: string;
}
