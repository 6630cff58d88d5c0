/** `atlas mcp`: serves the composition of the folder to MCP clients. */
import {
  type AtlasConfig,
  AtlasError,
  type CliCommand,
  type CliRun,
  createApp,
  type Plugin,
} from '../../kernel/index.ts';
import { type Cli, keepServing, warn, withHttpOptions } from '../cli/index.ts';
import type { McpApi } from './api.ts';
import type { McpOptions } from './options.ts';

const DEFAULT_PORT = '8080';

type McpPlugin = Plugin<typeof McpOptions, McpApi>;

/** The composition with `mcp()`, which it need not list. */
function withMcp({ plugins }: AtlasConfig, mcp: McpPlugin): AtlasConfig {
  return {
    plugins: plugins.some(({ definition }) => definition.name === mcp.pluginName) ? plugins : [...plugins, mcp()],
  };
}

const wrongUse = (message: string, hint: string) => new AtlasError(message, { code: 'invalid_request', hint });

function portOf({ options }: CliRun): number | undefined {
  const { transport, port } = options;
  if (transport !== 'stdio' && transport !== 'sse') {
    throw wrongUse(`--transport is invalid: expected stdio or sse.`, 'See: atlas mcp --help');
  }
  if (transport === 'stdio') {
    if (port === undefined) return undefined;
    throw wrongUse('--port is for --transport sse only.', 'See: atlas mcp --help');
  }
  const text = String(port ?? DEFAULT_PORT);
  const number = Number(text);
  if (/^\d{1,5}$/.test(text) && number <= 65_535) return number;
  throw wrongUse('--port is invalid: expected an integer from 0 to 65535.', 'See: atlas mcp --help');
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
    { flags: '--port <n>', description: `port of 127.0.0.1, only with sse; default: ${DEFAULT_PORT}` },
  ],
  examples: ['SVC_DATASOURCE_URL=sqlite:shop.db atlas mcp', 'atlas mcp --transport sse --port 8080'],
  run: async (run) => {
    const port = portOf(run);
    return port === undefined ? overStdio(run, cli, mcp) : overHttp(run, cli, mcp, port);
  },
});
