/** MCP clients only: `npx atlas mcp` for an editor, `npx atlas mcp --transport sse` over HTTP; no REST API, no chat. */
import { defineConfig } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { authNone } from 'atlas-query/plugins/auth-none';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { http } from 'atlas-query/plugins/http';
import { mcp } from 'atlas-query/plugins/mcp';
import { modelOffline } from 'atlas-query/plugins/model-offline';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';

export default defineConfig({
  plugins: [
    http(),
    authNone(),
    semanticLayer({ dir: process.env.SVC_SEMANTIC_DIR ?? './semantic' }),
    semanticQuery(),
    sqlLimits(),
    sqlGuard(),
    datasourceSqlite({ connections: [{ id: 'default', url: process.env.SVC_DATASOURCE_URL ?? 'sqlite:shop.db' }] }),
    modelOffline(),
    agent(),
    mcp(),
  ],
});
