/** `atlas mcp`: serves the composition of the folder to MCP clients. */
import type { TSchema } from '@sinclair/typebox';
import { type AtlasConfig, type CliCommand, type CliRun, createApp, type Plugin, Type } from '../../kernel/index.ts';
import { type Cli, keepServing, warn, withHttpOptions, wrongUse } from '../cli/index.ts';
import type { McpApi } from './api.ts';

const DEFAULT_PORT = '8080';

type McpPlugin = Plugin<TSchema, McpApi>;

/** The composition with `mcp()`, which it need not list. */
function withMcp({ plugins }: AtlasConfig, mcp: McpPlugin): AtlasConfig {
  return {
    plugins: plugins.some(({ definition }) => definition.name === mcp.pluginName) ? plugins : [...plugins, mcp()],
  };
}

/** `undefined`: standard input and output instead of HTTP. */
function portOf({ options }: CliRun): number | undefined {
  const { transport, port } = options;
  if (transport === 'sse') return Number(port ?? DEFAULT_PORT);
  if (port === undefined) return undefined;
  throw wrongUse('--port is for --transport sse only.', 'See: atlas mcp --help');
}

async function overStdio(run: CliRun, { compose }: Cli, mcp: McpPlugin): Promise<number> {
  // Standard output carries the protocol and nothing else.
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error;
  const { config, options, warnings } = await compose(run);
  for (const warning of warnings) warn(run, options.log, warning);
  await using app = await createApp(withHttpOptions(withMcp(config, mcp), { listen: false }), options);
  const token = run.env.SVC_API_KEY;
  await app.get(mcp).serveStdio({ stdin: process.stdin, stdout: run.stdout as never, token, signal: run.signal });
  return 0;
}

async function overHttp(run: CliRun, { compose }: Cli, mcp: McpPlugin, port: number): Promise<number> {
  const { config, options, warnings } = await compose(run);
  for (const warning of warnings) warn(run, options.log, warning);
  const listening = { listen: true, host: '127.0.0.1', port };
  return keepServing(run, await createApp(withHttpOptions(withMcp(config, mcp), listening), options));
}

export const mcpCommand = (cli: Cli, mcp: McpPlugin): CliCommand => ({
  name: 'mcp',
  summary: 'serve MCP clients, such as an editor or a chat application',
  options: [
    {
      flags: '--transport <stdio|sse>',
      description: 'stdio, or HTTP at /mcp (and /sse for older clients)',
      default: 'stdio',
    },
    {
      flags: '--port <n>',
      description: `port of 127.0.0.1, only with sse; default: ${DEFAULT_PORT}`,
      schema: Type.Integer({ minimum: 0, maximum: 65_535 }),
    },
  ],
  examples: ['SVC_DATASOURCE_URL=sqlite:shop.db atlas mcp', 'atlas mcp --transport sse --port 8080'],
  serves: true,
  run: async (run) => {
    const port = portOf(run);
    return port === undefined ? overStdio(run, cli, mcp) : overHttp(run, cli, mcp, port);
  },
});
