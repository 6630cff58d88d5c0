/** Two SQLite files behind one server, answered by an OpenAI-compatible model; no OpenAPI document. */
import { defineConfig } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { authNone } from 'atlas-query/plugins/auth-none';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { health } from 'atlas-query/plugins/health';
import { http } from 'atlas-query/plugins/http';
import { modelOpenai } from 'atlas-query/plugins/model-openai';
import { queryApi } from 'atlas-query/plugins/query-api';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';

export default defineConfig({
  plugins: [
    http({ port: Number(process.env.PORT ?? 3001) }),
    health(),
    authNone(),
    semanticLayer({ dir: './semantic' }),
    semanticQuery(),
    sqlLimits({ maxRows: 200, timeoutMs: 5_000 }),
    sqlGuard(),
    datasourceSqlite({
      connections: [
        { id: 'default', url: 'sqlite:shop.db', description: 'Orders of the shop.' },
        { id: 'tickets', url: 'sqlite:tickets.db', description: 'Support tickets.' },
      ],
    }),
    modelOpenai({ provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen3' }),
    agent({ maxSteps: 10 }),
    queryApi(),
  ],
});
