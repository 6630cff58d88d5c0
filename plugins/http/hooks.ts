/**
 * Declares the hooks of the server: one counts or refuses requests, one describes how they carry credentials, one shows
 * people that there is nothing where they look.
 */
import { collect, first, type Route, type RouteReply, series } from '../../kernel/index.ts';

export interface Admission {
  readonly route: Route;
  /** The client's address, an IPv4 address or an IPv6 one. */
  readonly ip: string;
}

/** Every request whose route exists. `scope.actor` is anonymous for a public route and after a failed authentication. */
export const httpAdmit = series<Admission>('http.admit', {
  summary: 'Refuses a request before it is authorized: rate limits, address lists.',
});

export interface SecurityScheme {
  /** Under which the description names it: `apiKey`. */
  readonly name: string;
  /** A security scheme object of OpenAPI 3.1; missing where the plugin only adds errors. */
  readonly scheme?: Readonly<Record<string, string>>;
  /** Codes that every route which needs an identity may answer where this plugin authenticates. */
  readonly errors?: readonly string[];
  /** Whether public routes may answer these codes, too. */
  readonly onPublicRoutes?: boolean;
  /** Taken, and needed, by the public routes of the plugin that brings it, and by no other. */
  readonly isOwn?: boolean;
}

/**
 * Every way in which a request can carry credentials. Where there is none, or each is `isOwn`, requests need none, and
 * web pages of other origins may call the routes alone that say so (`origins`).
 */
export const httpSecurity = collect<undefined, SecurityScheme>('http.security', {
  summary: 'Ways for a request to carry credentials, for the description of the interface.',
});

export interface MissingPage {
  /** Without the query. */
  readonly path: string;
}

/** Asked for a browser's request of a page that nothing serves, outside `/api/`; without an answer it gets a JSON 404. */
export const httpNotFound = first<MissingPage, RouteReply>('http.not-found', {
  summary: 'Answers a browser that looks for a page where there is none.',
});
