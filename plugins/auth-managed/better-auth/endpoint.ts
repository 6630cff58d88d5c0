/** How this plugin describes the endpoints of the authentication library that it mounts. */
import { type TSchema, Type } from '@sinclair/typebox';
import type { Right, Role, Route } from '../../../kernel/index.ts';

export interface Endpoint {
  readonly method: Route['method'];
  /** Below `/api/auth`. */
  readonly path: string;
  readonly summary: string;
  /** `public` where there may be no session; the others are let through by Atlas before the library sees them. */
  readonly right: Right;
  /** Part of the web console that it shows. */
  readonly area?: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly reply: TSchema;
  /** Status of a success; default 200. */
  readonly status?: number;
  /** Codes that it may answer beside those every route may. */
  readonly errors?: readonly string[];
  /** Only where a social provider is configured. */
  readonly social?: boolean;
  /** Whose sessions may have to move into an organization or out of it: the caller's, or any user's. */
  readonly changesMembers?: 'own' | 'all';
  /** Called by pages of other sites, such as by the form of an identity provider. */
  readonly crossSite?: boolean;
  /** Its body is an HTML form, which may hold a signed document. */
  readonly isForm?: boolean;
  /** Its protocol has a media type and errors of its own, which go to the client as the library words them. */
  readonly isProtocol?: boolean;
  /** Role of a user that it makes; default: the first one, and that of the configured address, are administrators. */
  readonly newUserRole?: Role;
}

export const Id = Type.String({ minLength: 1, maxLength: 128 });
export const Email = Type.String({ format: 'email', maxLength: 254 });
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  errorMessage: 'must be 1 to 200 characters long, and not blank',
});
/** Others are shown it: it must not be an address that runs something. */
export const Picture = Type.String({
  maxLength: 2_048,
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/]\\S*$',
  errorMessage: 'must be an http or https URL of at most 2048 characters',
});
const Text = Type.Union([Type.String(), Type.Null()]);

/** Where a browser goes on: a path, or an address of a trusted origin. */
export const Url = Type.String({ minLength: 1, maxLength: 2_048 });

export const User = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    image: Text,
    emailVerified: Type.Boolean(),
    role: Text,
    banned: Type.Union([Type.Boolean(), Type.Null()]),
    banReason: Text,
    banExpires: Text,
    passwordChangeRequired: Type.Union([Type.Boolean(), Type.Null()]),
    adminByOrganization: Type.Union([Type.Boolean(), Type.Null()]),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  { title: 'Account' },
);

export const Session = Type.Object(
  {
    id: Type.String(),
    token: Type.String(),
    userId: Type.String(),
    expiresAt: Type.String(),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    ipAddress: Text,
    userAgent: Text,
    activeOrganizationId: Text,
    impersonatedBy: Type.Optional(Text),
  },
  { title: 'Session' },
);

export const Done = Type.Object({ status: Type.Boolean() }, { title: 'Done' });
