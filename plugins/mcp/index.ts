/** Serves clients of the Model Context Protocol, over HTTP and over standard input and output. */
import { cliCommands, definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { actions } from '../actions/index.ts';
import { adminPrompts } from '../admin-prompts/index.ts';
import { agent } from '../agent/index.ts';
import { changes } from '../changes/index.ts';
import { cli } from '../cli/index.ts';
import { http, httpAdmit } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { queryApi } from '../query-api/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { localLimits } from '../shared-limits/index.ts';
import type { McpApi } from './api.ts';
import { mcpCommand } from './command.ts';
import type { HttpInit } from './http-routes.ts';
import { createStreams, MESSAGES_TABLE, STREAMS_TABLE } from './migrations.ts';

export type { McpApi } from './api.ts';

const VERSION = '1.0.0';
/** Cancellations of a user that other servers are told of: far more than people cause. */
const TOLD = { limit: 300, windowMs: 60_000, maxKeys: 10_000 };

export const mcp = definePlugin({
  name: 'mcp',
  version: VERSION,
  type: 'interaction',
  description: 'Serves clients of the Model Context Protocol: questions, SQL under guard, the semantic layer.',
  needs: {
    agent,
    http,
    layer: semanticLayer,
    prompts: optional(adminPrompts),
    actions: optional(actions),
    queryApi: optional(queryApi),
    changes: optional(changes),
    db: optional(internalDb),
  },
  async setup(ctx, _options, needs): Promise<McpApi> {
    requirePackages(['@modelcontextprotocol/server'], import.meta.url);
    const sdk = await import('@modelcontextprotocol/server');
    // The preset imports the plugin also for servers that do without it.
    const { serverFactory } = await import('./server.ts');
    const { streamableRoute } = await import('./http-routes.ts');
    const { sseRoutes } = await import('./sse-routes.ts');
    const makeServer = serverFactory({ ...needs, sdk, version: VERSION });
    const served: HttpInit = {
      sdk,
      makeServer,
      changes: needs.changes,
      told: localLimits(ctx.now).window('mcp.cancelled', TOLD),
      admit: async (route, ip, scope) => ctx.call(httpAdmit, { route, ip }, scope),
    };
    const { db } = needs;
    const isShared = db?.configured === true && db.dialect === 'postgres';
    if (isShared) {
      ctx.tap(storeMigrations, () => [createStreams]);
      ctx.tap(storeTables, () => [STREAMS_TABLE, MESSAGES_TABLE].map((table) => ({ table, isTransient: true })));
    }
    const shared = isShared ? new (await import('./shared-streams.ts')).SharedStreams(db, ctx.log) : undefined;
    const older = sseRoutes({ ...served, shared });
    const streamable = streamableRoute(served);
    ctx.tap(httpRoutes, () => [streamable, ...older.routes]);
    ctx.onDrain(() => older.close());
    return { serveStdio: async (request) => (await import('./stdio.ts')).serveStdio(ctx, makeServer, request) };
  },
});

export const mcpCli = definePlugin({
  name: 'mcp-cli',
  version: VERSION,
  type: 'command',
  description: 'The command `mcp`: serves the composition to MCP clients.',
  needs: { cli },
  setup(ctx, _options, needs) {
    ctx.tap(cliCommands, () => [mcpCommand(needs.cli, mcp)]);
  },
});
