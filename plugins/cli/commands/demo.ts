/** `atlas demo`: writes the demo database, asks it one question, prints the answer, and goes on serving. */
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type App,
  AtlasError,
  type CliCommand,
  type CliRun,
  createApp,
  messageOf,
  type PluginRef,
} from '../../../kernel/index.ts';
import type { Agent } from '../../agent/index.ts';
import type { Cli } from '../api.ts';
import { fileFault } from '../file-fault.ts';
import { originText, type RenderedTable, renderAnswer, terminalStyle } from '../render.ts';
import { http, keepServing } from '../serving.ts';

/** A reference instead of an import: the agent is not loaded to show the help. */
const agent: PluginRef<Agent> = { pluginName: 'agent' };

const DEFAULT_PORT = '3001';
const QUESTION = 'What was the revenue by region in 2025?';

async function ask(run: CliRun, app: App, question: string): Promise<void> {
  const scope = app.scope({
    actor: { id: null, label: null, role: 'admin', mode: 'none', claims: {} },
    signal: run.signal,
  });
  run.stdout.write(`> ${question}\n\n`);
  const answer = await app.get(agent).answer({ turns: [{ role: 'user', text: question }], surface: 'cli' }, scope);
  const { shownTable } = await import('../../agent/index.ts');
  const data: RenderedTable[] = answer.data.map(shownTable);
  const shown = { answer: answer.text, sql: answer.sql, data };
  const origins = data.flatMap(originText).map((line) => `${line}\n`);
  run.stdout.write(`${renderAnswer(shown, terminalStyle(run.stdout))}${origins.join('')}`);
}

/** Another server may have the port: a first answer must not fail because of it. */
async function startOnAnyPort(run: CliRun, { compose }: Cli, env: CliRun['env']): Promise<App> {
  const { cwd } = run;
  const { config, options } = await compose({ cwd, env, builtIn: true });
  try {
    return await createApp(config, options);
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    const other = await compose({ cwd, env: { ...env, PORT: '0' }, builtIn: true });
    const app = await createApp(other.config, other.options);
    const taken = new URL(app.get(http).url()).port;
    run.stderr.write(`Port ${env.PORT || DEFAULT_PORT} is in use by another program; the demo takes ${taken}.\n`);
    return app;
  }
}

/** The demo needs nothing: where the model of the environment cannot be set up, the offline model answers. */
async function startWithSomeModel(run: CliRun, cli: Cli, env: CliRun['env']): Promise<App> {
  try {
    return await startOnAnyPort(run, cli, env);
  } catch (error) {
    if (env.SVC_PROVIDER) throw error;
    const app = await startOnAnyPort(run, cli, { ...env, SVC_PROVIDER: 'offline' }).catch(() => {
      throw error;
    });
    const [reason = ''] = messageOf(error).split('\n').slice(-1);
    run.stderr.write(`The offline model answers, as no other can be set up: ${reason.replace(/^\s*-\s*/, '')}\n`);
    return app;
  }
}

const notWritten = (error: unknown) =>
  new AtlasError(`The demo database cannot be written to .atlas in this folder: ${fileFault(error)}.`, {
    code: 'configuration_error',
    reason: 'E_DEMO_FOLDER',
    hint: 'Run the demo in a folder that you may write to.',
    cause: error,
  });

function isPortTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE' || isPortTaken(error.cause);
}

export const demo = (cli: Cli): CliCommand => ({
  name: 'demo [question]',
  summary: 'answer a question from a demo shop, with no key and no server, and go on serving',
  options: [{ flags: '--once', description: 'stop after the answer' }],
  examples: ['atlas demo --once', 'atlas demo "Top 5 customers by revenue"'],
  serves: true,
  run: async (run) => {
    const folder = join(run.cwd, '.atlas');
    const database = join(folder, 'demo.db');
    const { createSimpleDemo } = await import('../../demo-data/index.ts');
    try {
      mkdirSync(folder, { recursive: true });
      createSimpleDemo(database);
    } catch (error) {
      throw notWritten(error);
    }
    const once = run.options.once === true;
    const settings = {
      ...run.env,
      SVC_DATASOURCE_URL: `sqlite:${relative(run.cwd, database)}`,
      DATABASE_URL: run.env.DATABASE_URL || `sqlite:${relative(run.cwd, join(folder, 'internal.db'))}`,
      SVC_SEMANTIC_DIR: cli.demoLayerDir,
      SVC_LOG_LEVEL: run.env.SVC_LOG_LEVEL || 'warn',
      // One answer must not fail because another server has the port, and no page of another origin is to ask.
      ...(once ? { PORT: '0', SVC_CORS_ORIGIN: 'http://localhost' } : {}),
    };
    await using app = await startWithSomeModel(run, cli, settings);
    await ask(run, app, run.args[0] || QUESTION);
    if (once) return 0;
    const url = app.get(http).url();
    const server = new URL(url).port === DEFAULT_PORT ? '' : `SVC_API_URL=${url} `;
    run.stdout.write(`\nAsk more: ${server}npx atlas-query query "How many orders were cancelled last year?"\n`);
    // Awaited here: the app must stay open until serving ends.
    return await keepServing(run, app);
  },
});
