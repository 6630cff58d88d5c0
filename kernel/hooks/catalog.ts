/** Declares every hook of the kernel, as a request meets them; plugins may declare more. See also `docs/hooks.md`. */
import { collect, first, keyed, parallel, series, waterfall } from './kinds.ts';
import type * as actions from './payloads/actions.ts';
import type * as identity from './payloads/identity.ts';
import type * as questions from './payloads/questions.ts';
import type * as sql from './payloads/sql.ts';
import type * as surfaces from './payloads/surfaces.ts';

export const httpRoutes = collect<undefined, surfaces.Route>('http.routes', {
  summary: 'Routes of the HTTP interface, with schemas, right and errors.',
});

export const authResolve = first<identity.Credentials, identity.Identity>('auth.resolve', {
  summary: 'Authenticates a request. A credential that a plugin recognises and rejects ends the request.',
  gateOf: 'http.routes',
});

export const authAuthorize = series<identity.Access>('auth.authorize', {
  summary: 'Refuses an actor who lacks the right for an operation.',
  gateOf: 'http.routes',
});

export const questionBefore = waterfall<questions.Question>('question.before', {
  summary: 'Completes or refuses a question before the agent sees it.',
});

export const contextCollect = collect<questions.Question, questions.ContextPart>('context.collect', {
  summary: "Pieces of the model's instructions for one question.",
});

export const toolsCollect = collect<questions.Question, questions.AgentTool>('tools.collect', {
  summary: 'Tools that the model may call for one question.',
});

export const modelResolve = first<questions.Question, questions.ResolvedModel>('model.resolve', {
  summary: 'Chooses the language model for one question.',
});

export const datasourceList = collect<undefined, sql.ConnectionInfo>('datasource.list', {
  summary: 'Connections that can be asked.',
});

export const sqlBefore = waterfall<sql.SqlStatement>('sql.before', {
  summary: 'May rewrite a statement: limits, guard, row security.',
});

export const sqlCheck = series<sql.SqlStatement>('sql.check', {
  summary: 'May only refuse. Runs after the last rewrite, so nothing can undo a check. One tap at least must seal.',
  gateOf: 'datasource.execute',
  sealed: true,
});

export const datasourceExecute = keyed<sql.SqlStatement, sql.SqlResult>('datasource.execute', {
  summary: "Runs a checked statement; the key is the connection's key, by default its id.",
  deadlineMs: 300_000,
});

export const datasourceDescribe = keyed<sql.DescribeRequest | undefined, readonly sql.TableDescription[]>(
  'datasource.describe',
  {
    summary: "Tables, columns and keys of a connection; the key is the connection's key, by default its id.",
    deadlineMs: 120_000,
  },
);

export const sqlAfter = waterfall<sql.SqlReply>('sql.after', {
  summary: 'May mask or trim the rows, or withhold them by throwing.',
  gateOf: 'datasource.execute',
});

export const sqlSettled = parallel<sql.SqlOutcome>('sql.settled', {
  summary: 'Every statement exactly once, run, refused or failed.',
});

export const actionRequest = waterfall<actions.ActionRequest>('action.request', {
  summary: 'Completes or refuses a requested action.',
});

export const actionReview = first<actions.ActionRequest, actions.ActionReview>('action.review', {
  summary: 'Decides whether an action runs, waits or is denied. Without an answer it waits for approval.',
  gateOf: 'action.execute',
});

export const actionExecute = keyed<actions.ActionRequest, unknown>('action.execute', {
  summary: 'Performs an action; the key is its type.',
  deadlineMs: 60_000,
});

export const actionSettled = parallel<actions.ActionOutcome>('action.settled', {
  summary: 'Every action exactly once for each move: pending, denied, executed or failed.',
});

export const deliverBefore = waterfall<actions.Delivery>('deliver.before', {
  summary: 'May change or refuse a delivery.',
});

export const deliver = keyed<actions.Delivery, actions.DeliveryReceipt>('deliver', {
  summary: 'Sends a report; the key is the channel.',
  deadlineMs: 120_000,
});

export const scheduleCollect = collect<undefined, actions.ScheduledJob>('schedule.collect', {
  summary: 'Recurring work, such as a daily purge.',
});

export const cliCommands = collect<undefined, surfaces.CliCommand>('cli.commands', {
  summary: 'Commands of the command line.',
});

export const storeMigrations = collect<undefined, actions.Migration>('store.migrations', {
  summary: "A plugin's tables in the internal database.",
});

export const healthCheck = collect<undefined, surfaces.HealthItem>('health.check', {
  summary: 'Items of the health report.',
  deadlineMs: 5_000,
  failedItem: (plugin, error): surfaces.HealthItem => ({ component: plugin, status: 'error', message: error.message }),
});

// biome-ignore format: in groups, as a request meets them
export const catalog = [
  httpRoutes, authResolve, authAuthorize,
  questionBefore, contextCollect, toolsCollect, modelResolve,
  datasourceList, sqlBefore, sqlCheck, datasourceExecute, datasourceDescribe, sqlAfter, sqlSettled,
  actionRequest, actionReview, actionExecute, actionSettled, deliverBefore, deliver,
  scheduleCollect, cliCommands, storeMigrations, healthCheck,
] as const;
