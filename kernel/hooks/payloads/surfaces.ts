/** Types routes, health and commands. */
import type { Static, TSchema } from '@sinclair/typebox';
import type { Right, Scope } from '../../scope.ts';
import type { Awaitable } from '../kinds.ts';

/** As the route's schema says; `Unchecked` where it has none. */
type Checked<S extends TSchema, Unchecked> = TSchema extends S ? Unchecked : Static<S>;

export interface RouteRequest<P extends TSchema = TSchema, Q extends TSchema = TSchema, B extends TSchema = TSchema> {
  readonly params: Checked<P, Readonly<Record<string, string>>>;
  readonly query: Checked<Q, Readonly<Record<string, unknown>>>;
  readonly body: Checked<B, unknown>;
  /** The body's bytes, where asked for; `first`: `body` is parsed when it is read; `form`: it is an HTML form's fields. */
  readonly rawBody: Buffer | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly ip: string;
}

export interface RouteReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** JSON; text with a `content-type`; or a stream of text or bytes, some around a value in JSON, which ends when its client leaves. */
  readonly body?: unknown;
  readonly stream?: AsyncIterable<string | Uint8Array | { before: string; json: unknown; after: string }>;
  /** Called once the answer has been sent or its client has left. */
  done?(): void;
  /** Time of `performance.now()` at which the connection is closed although its client has not taken all of it. */
  readonly sendUntil?: number;
}

/** `P`, `Q` and `B` are the schemas of path parameters, query and body; `defineRoute` infers them. */
export interface Route<P extends TSchema = TSchema, Q extends TSchema = TSchema, B extends TSchema = TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` parameters. */
  readonly path: string;
  /** Name of the operation in the interface description, such as `listItems`. Default: from method and path. */
  readonly operationId?: string;
  readonly summary: string;
  readonly tag: string;
  readonly right: Right;
  /** What it shows or changes of one organization, as a sentence begins: closed to actors whose organization is unknown. */
  readonly organizationData?: string;
  /** Part of a user interface that it shows, such as `users`: who may call it is shown that part. */
  readonly area?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly rawBody?: boolean | 'first' | 'form';
  /** Largest request body, where it is less than that of the server. */
  readonly bodyLimitBytes?: number;
  /** Schema of each success status. */
  readonly responses: Readonly<Record<number, TSchema>>;
  /** Headers of a success beside those of every answer, for the interface description. */
  readonly responseHeaders?: Readonly<Record<string, TSchema>>;
  /** Error codes it may answer beside those every route may. */
  readonly errors?: readonly string[];
  /** Neither rate-limited nor refused under overload. */
  readonly essential?: boolean;
  /** A page or a file of one, for browsers: bytes with a `content-type`, and no part of the interface description. */
  readonly page?: true;
  /** Web pages that may call it: `own` are those of the server and of configured origins. Default: `own` where nobody authenticates. */
  readonly origins?: 'any' | 'own';
  /** Throws while the feature cannot serve this request; asked before its body is read and anything is validated. */
  ready?(request: Pick<RouteRequest, 'params' | 'headers'>, scope: Scope): void;
  handle(request: RouteRequest<P, Q, B>, scope: Scope): Awaitable<RouteReply>;
}

/** A route whose handler gets path parameters, query and body as its schemas type them: they are checked before it. */
export function defineRoute<P extends TSchema = TSchema, Q extends TSchema = TSchema, B extends TSchema = TSchema>(
  route: Route<P, Q, B>,
): Route {
  return route as unknown as Route;
}

export type HealthStatus = 'ok' | 'degraded' | 'error' | 'not_configured' | 'disabled';

export interface HealthItem {
  /** Key of the report: `datasource`, `provider`, `semanticLayer`, … */
  readonly component: string;
  /** One of several of the same component, such as a connection's id. */
  readonly id?: string;
  readonly status: HealthStatus;
  readonly message?: string;
  readonly latencyMs?: number;
  /** Further keys of the report, such as `model` or `entityCount`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface CliOption {
  /** In the notation of the shell: `--port <n>`, `--json`; the value of `--to <file|mail>` must be one of these words. */
  readonly flags: string;
  readonly description: string;
  readonly default?: string | boolean;
  readonly required?: boolean;
  /** Schema of the value (`run` gets it as text): a number with its range, or a string with `pattern` and `expected` form. */
  readonly schema?: TSchema;
  /** Flags that cannot be given together with it: `['--csv']`. */
  readonly conflicts?: readonly string[];
}

export interface CliRun {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

export interface CliCommand {
  /** With its arguments: `query <question>`; a command of a group with the name of the group: `plugin create <name>`. */
  readonly name: string;
  readonly summary: string;
  readonly options?: readonly CliOption[];
  readonly examples?: readonly string[];
  /** Meanings of the exit codes, for the help; 0 is success and 1 an error where it does not say otherwise. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** It runs until it is interrupted, which is no failure then. */
  readonly serves?: boolean;
  /** Resolves to the exit code. */
  run(run: CliRun): Awaitable<number>;
}
