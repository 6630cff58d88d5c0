/** Builds the MCP server of one client: tools, resources of the semantic layer, and prompts. */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Scope } from '../../kernel/index.ts';
import { pendingActionOf } from '../agent/index.ts';
import type { HttpServer } from '../http/index.ts';
import { visibleModel } from '../semantic-layer/index.ts';
import { type PromptsInit, servePrompts } from './prompts.ts';
import { type Args, exploreLayer, isSqlHidden, type Services, TOOLS } from './tools.ts';

export interface ServerInit extends Services, PromptsInit {
  readonly http: HttpServer;
  readonly version: string;
}

/** Makes the server of one client, or of one call. `scope` is that of the connection: each call is a part of it. */
export type MakeServer = (scope: Scope) => Promise<McpServer>;

const INSTRUCTIONS =
  'Ask questions about the connected databases with `ask`. To write SQL yourself, read the semantic layer with `explore` first, then use `query_sql`.';
const LAYER = 'semantic://';
const YAML = 'application/yaml';

export function serverFactory(init: ServerInit): MakeServer {
  const { sdk, version } = init;
  // Compiled once: a client without a session has a new server for each call.
  const tools = Object.entries(TOOLS).map(([name, tool]) => ({
    ...tool,
    name,
    inputSchema: sdk.fromJsonSchema<Args>(JSON.parse(JSON.stringify(tool.input))),
    ...('output' in tool && { outputSchema: sdk.fromJsonSchema(JSON.parse(JSON.stringify(tool.output))) }),
  }));
  return async (connection) => {
    const scopeOf = () => connection.part();
    const server = new sdk.McpServer({ name: 'atlas', version }, { instructions: INSTRUCTIONS });
    for (const { name, title, description, inputSchema, outputSchema, run } of tools) {
      const annotations = { readOnlyHint: name !== 'ask', openWorldHint: false };
      const about = { title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations };
      server.registerTool(name, about, async (args, { mcpReq }) => {
        // Ends when the client cancels the call, too.
        const scope = connection.part(AbortSignal.any([connection.signal, mcpReq.signal]));
        try {
          return await run(init, args, scope);
        } catch (error) {
          const { message } = init.http.failure(error, scope).body;
          const action = pendingActionOf(error);
          const texts = action === undefined ? [message] : [message, JSON.stringify({ pendingActions: [action] })];
          return { content: texts.map((text) => ({ type: 'text' as const, text })), isError: true };
        }
      });
    }
    addResources(server, init, scopeOf);
    servePrompts(server, init, scopeOf);
    return server;
  };
}

/** The files of the layer; what is hidden in them is left out, as for the agent. */
function addResources(server: McpServer, init: ServerInit, scopeOf: () => Scope): void {
  const { sdk, layer } = init;
  const list = async () => {
    const scope = scopeOf();
    if (isSqlHidden(init, scope)) return { resources: [] };
    const model = await layer.for(scope);
    const { entities, metrics, glossary } = visibleModel(model);
    const described = new Map(entities.map(({ file, description }) => [file, description]));
    const files = new Set([...entities, ...metrics, ...glossary].map(({ file }) => file));
    const paths = [...(model.catalog === undefined ? [] : ['catalog.yml']), ...files].sort();
    return {
      resources: paths.map((path) => ({
        uri: `${LAYER}${path}`,
        name: path,
        mimeType: YAML,
        ...(described.get(path) && { description: described.get(path) }),
      })),
    };
  };
  const template = new sdk.ResourceTemplate(`${LAYER}{+path}`, { list });
  const about = { title: 'Semantic layer', description: 'A file of the semantic layer.', mimeType: YAML };
  server.registerResource('semantic-layer', template, about, async (uri) => {
    const path = decodeURIComponent(uri.href.slice(LAYER.length));
    return { contents: [{ uri: uri.href, mimeType: YAML, text: await exploreLayer(init, path, scopeOf()) }] };
  });
}
