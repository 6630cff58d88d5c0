/** Two SQLite files behind one server, answered by an OpenAI-compatible model; no OpenAPI document. */
import { defineConfig } from 'atlas';
import { agent } from 'atlas/plugins/agent';
import { authNone } from 'atlas/plugins/auth-none';
import { datasourceSqlite } from 'atlas/plugins/datasource-sqlite';
import { health } from 'atlas/plugins/health';
import { http } from 'atlas/plugins/http';
import { modelOpenai } from 'atlas/plugins/model-openai';
import { queryApi } from 'atlas/plugins/query-api';
import { semanticLayer } from 'atlas/plugins/semantic-layer';
import { semanticQuery } from 'atlas/plugins/semantic-query';
import { sqlGuard } from 'atlas/plugins/sql-guard';
import { sqlLimits } from 'atlas/plugins/sql-limits';

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
